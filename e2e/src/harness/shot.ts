import type { AxeResults, RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'
import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { expect } from 'vitest'

export const screenshots = join(import.meta.dirname, '../../../screenshots')

const sizes = { desktop: { width: 1440, height: 900 }, mobile: { width: 390, height: 844 } }
const themes = ['light', 'dark'] as const
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const judged: RunOptions = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
  // Passed rules are not gathered: that takes as long as judging. Nor are rules that nobody reads or that no screen
  // meets.
  resultTypes: ['violations'],
  selectors: false,
  preload: false,
  iframes: false,
}
const narrowest = 360
const tablet = { width: 768, height: 1024 }
/** Tables that are cut on the right, and rows whose name is broken into more than three lines. One line each. */
const crowdedTables = `[...document.querySelectorAll('table')].flatMap((table) => {
  const box = table.parentElement
  const name = [...table.querySelectorAll('[data-row-link]')].find((link) => link.getClientRects().length > 3)
  return [
    ...(box.scrollWidth > box.clientWidth + 1 ? [table.ariaLabel + ' is cut'] : []),
    ...(name ? [table.ariaLabel + ' breaks the name ' + name.innerText] : []),
  ]
})`
/** For looking at a screen while it is made: SCREENSHOTS=all saves each size in each theme. */
const everyPicture = process.env.SCREENSHOTS === 'all'

/** The WCAG 2.2 AA violations of this page as it is, one line each. */
export async function faultsOf(page: Page): Promise<string[]> {
  if (!(await page.evaluate<boolean>('!!globalThis.axe'))) await page.evaluate(axe)
  const { violations } = await page.evaluate<AxeResults>(`axe.run(document, ${JSON.stringify(judged)})`)
  return violations.flatMap(({ id, help, nodes }) => nodes.map(({ html }) => `${id}: ${help}: ${html.slice(0, 200)}`))
}

/**
 * Saves the screen as a picture, on a desk in the dark theme and on a phone in the light one, and fails when it breaks
 * an accessibility rule, is wider than the narrowest screens, or crowds its tables on a tablet.
 */
export async function shot(page: Page, name: string): Promise<void> {
  mkdirSync(screenshots, { recursive: true })
  await page.evaluate('document.fonts.ready.then(() => undefined)')
  const faults = new Set<string>()
  for (const [size, viewport] of Object.entries(sizes)) {
    await page.setViewportSize(viewport)
    for (const theme of themes) {
      // Both themes and both sizes once: what differs between the sizes is not the colours.
      const isJudged = (size === 'mobile') === (theme === 'light')
      if (!isJudged && !everyPicture) continue
      await page.emulateMedia({ colorScheme: theme })
      await page.locator(`html[data-theme=${theme}]`).waitFor()
      await page.screenshot({ path: join(screenshots, `${name}-${size}-${theme}.png`), animations: 'disabled' })
      if (!isJudged) continue
      for (const fault of await faultsOf(page)) faults.add(`${size}, ${theme}: ${fault}`)
    }
  }
  await page.setViewportSize({ width: narrowest, height: sizes.mobile.height })
  const width = await page.evaluate<number>('document.documentElement.scrollWidth')
  if (width > narrowest) faults.add(`The page is ${width} pixels wide on a screen of ${narrowest}`)
  await page.setViewportSize(tablet)
  if (everyPicture)
    await page.screenshot({ path: join(screenshots, `${name}-tablet-light.png`), animations: 'disabled' })
  for (const fault of await page.evaluate<string[]>(crowdedTables)) faults.add(`${tablet.width} pixels: ${fault}`)
  await page.setViewportSize(sizes.desktop)
  await page.emulateMedia({ colorScheme: 'light' })
  expect([...faults].join('\n'), `faults of the screen "${name}"`).toBe('')
}
