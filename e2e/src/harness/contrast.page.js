/* Runs in a page: texts and icons inside the selectors whose contrast is below the limits, one line each. */
globalThis.paleIn = (selectors, limits) => {
  const brush = document.createElement('canvas').getContext('2d', { willReadFrequently: true })
  const parsed = (css) => {
    brush.clearRect(0, 0, 1, 1)
    brush.fillStyle = css
    brush.fillRect(0, 0, 1, 1)
    const [red = 0, green = 0, blue = 0, alpha = 0] = brush.getImageData(0, 0, 1, 1).data
    return [red, green, blue, alpha / 255]
  }
  const over = (front, back) => {
    const mix = (index) => front[index] * front[3] + back[index] * (1 - front[3])
    return [mix(0), mix(1), mix(2), 1]
  }
  const behind = (element) => {
    if (!element) return [255, 255, 255, 1]
    const own = parsed(getComputedStyle(element).backgroundColor)
    return own[3] === 1 ? own : over(own, behind(element.parentElement))
  }
  const opacity = (element) =>
    element ? Number(getComputedStyle(element).opacity) * opacity(element.parentElement) : 1
  const luminance = (colour) => {
    const part = (value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4)
    return 0.2126 * part(colour[0]) + 0.7152 * part(colour[1]) + 0.0722 * part(colour[2])
  }
  const ratioOf = (element) => {
    const back = behind(element)
    const [red, green, blue, alpha] = parsed(getComputedStyle(element).color)
    const [a, b] = [luminance(over([red, green, blue, alpha * opacity(element)], back)), luminance(back)]
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
  }
  const isShown = (element) => {
    const { width, height } = element.getBoundingClientRect()
    return width > 1 && height > 1 && element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true })
  }
  const hasText = (element) =>
    [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim())
  // A sign of an icon font; icons that are pictures have no colour to compare.
  const isIcon = (element) =>
    element.tagName === 'I' && /[\uE000-\uF8FF]/.test(getComputedStyle(element, '::before').content)
  // Controls that are off need no contrast, except the one that everybody looks for.
  const isOff = (element) => element.closest(':disabled, .ui-state-disabled, .red-ui-button.disabled') !== null
  const found = new Set()
  for (const root of document.querySelectorAll(selectors.join(','))) {
    for (const element of [root, ...root.querySelectorAll('*:not(svg *)')]) {
      const kind = hasText(element) ? 'text' : isIcon(element) ? 'icon' : undefined
      if (!kind || isOff(element) || !isShown(element)) continue
      const ratio = ratioOf(element)
      if (ratio >= limits[kind]) continue
      const name = kind === 'text' ? element.textContent.trim().slice(0, 40) : element.className
      const place = element.closest('[id]')?.id ?? ''
      found.add(`${kind} "${name}" in #${place}: ${ratio.toFixed(2)}`)
    }
  }
  return [...found]
}
