import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'

export const screenshots = join(import.meta.dirname, '../../../screenshots')

const sizes = { desktop: { width: 1440, height: 900 }, mobile: { width: 390, height: 844 } }
const themes = ['light', 'dark'] as const
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

/**
 * Saves the screen as a picture in both themes and both sizes, and fails when it breaks an accessibility rule
 * in any of them or is wider than a page of 360 pixels.
 */
export async function shot(page: Page, name: string): Promise<void> {
  mkdirSync(screenshots, { recursive: true })
  await page.evaluate('document.fonts.ready.then(() => undefined)')
  const faults: string[] = []
  for (const [size, viewport] of Object.entries(sizes)) {
    await page.setViewportSize(viewport)
    for (const theme of themes) {
      await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
      await page.screenshot({ path: join(screenshots, `${name}-${size}-${theme}.png`), animations: 'disabled' })
      const { violations } = await new AxeBuilder({ page }).withTags(tags).setLegacyMode(true).analyze()
      for (const { id, help, nodes } of violations)
        for (const node of nodes) faults.push(`${size} ${theme}: ${id}: ${help}: ${node.html.slice(0, 200)}`)
    }
  }
  await page.setViewportSize({ width: 360, height: 844 })
  const width = await page.evaluate<number>('document.documentElement.scrollWidth')
  if (width > 360) faults.push(`The page is ${width} pixels wide on a screen of 360`)
  await page.setViewportSize(sizes.desktop)
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'no-preference' })
  expect([...new Set(faults)], `faults of the screen "${name}"`).toEqual([])
}
