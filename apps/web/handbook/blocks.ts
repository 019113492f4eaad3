/** Gives each block of code a button that copies it. */
export function addCopyButtons(): void {
  for (const block of document.querySelectorAll<HTMLElement>('.code')) {
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'copy'
    button.textContent = 'Copy'
    button.addEventListener('click', () => void copy(block, button))
    block.append(button)
  }
}

async function copy(block: HTMLElement, button: HTMLButtonElement): Promise<void> {
  await navigator.clipboard.writeText(block.querySelector('code')?.textContent.trimEnd() ?? '')
  button.textContent = 'Copied'
  setTimeout(() => (button.textContent = 'Copy'), 1500)
}

/** Lets the keyboard reach what scrolls sideways, as long as it does. */
export function focusScrollers(): void {
  const update = (element: Element) => {
    if (element.scrollWidth > element.clientWidth) element.setAttribute('tabindex', '0')
    else element.removeAttribute('tabindex')
  }
  const observer = new ResizeObserver((entries) => {
    for (const { target } of entries) update(target)
  })
  for (const element of document.querySelectorAll('.table, pre, .figure-drawing')) {
    update(element)
    observer.observe(element)
  }
}
