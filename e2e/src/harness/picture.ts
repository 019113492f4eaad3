import type { Page } from 'playwright-core'
import { join } from 'node:path'
import { screenshots } from './shot.ts'

/** SCREENSHOTS=docs writes the pictures of the handbook where they belong; otherwise they are only looked at. */
const folder = process.env.SCREENSHOTS === 'docs' ? join(import.meta.dirname, '../../../docs/images') : screenshots

/** Saves the page as a picture of the handbook, `<name>.png` in the light theme and `<name>-dark.png` in the dark one. */
export async function picture(page: Page, name: string, height = 800): Promise<void> {
  await page.setViewportSize({ width: 1280, height })
  await page.evaluate('document.fonts.ready.then(() => undefined)')
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme })
    await page.locator(`html[data-theme=${theme}]`).waitFor()
    const file = theme === 'light' ? `${name}.png` : `${name}-dark.png`
    await page.screenshot({ path: join(folder, file), animations: 'disabled' })
  }
}
