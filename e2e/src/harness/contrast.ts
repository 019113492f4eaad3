import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'

const script = readFileSync(join(import.meta.dirname, 'contrast.page.js'), 'utf8')
const least = { text: 4.5, icon: 3 }

/**
 * Texts and icons inside these elements with too little contrast, one line each: as WCAG 2.2 counts it, from the styles
 * that the browser computed. Elements that are not visible are not judged.
 */
export async function paleIn(page: Page, selectors: readonly string[]): Promise<string[]> {
  return page.evaluate<string[]>(`${script}; paleIn(${JSON.stringify(selectors)}, ${JSON.stringify(least)})`)
}
