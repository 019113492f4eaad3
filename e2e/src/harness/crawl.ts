import type { Page } from 'playwright-core'
import { expect } from 'vitest'

/** Controls that find, sort, collapse, copy or show, and change nothing for anybody. */
const reading =
  /^(Search .*|Copy .*|Collapse .*|Expand .*|Load .*|Pause|Follow|Wrap|Download .*|Actions for .* of .*|Select .* to compare|Compare with current|Set by the platform|Deprecated variable|[A-Z]\w+day, .* Events?|Show All|Filters|From:|To:|All|Editor|Deployments|Snapshots|Problems|Show|Info|Warn|Error|\d+ (min|h|days)|Charts|Table|(under|over|running|safe|stopped|error|offline|never|[\d.]+ to) (.* )?\d+|.*:|[a-z]+-line)$/

/**
 * Everything that can be pressed, chosen or filled in, by name; of links only those to forms, of tables everything
 * but sorting.
 */
const controls = `[...document.querySelectorAll('main :is(button, input, textarea, select, a)')]
  .filter((one) => !one.disabled && one.getAttribute('aria-disabled') !== 'true' && !one.closest('th, [aria-hidden=true]'))
  .filter((one) => one.tagName !== 'A' || /\\/(create|edit)\\b/.test(one.href))
  .map((one) => one.getAttribute('aria-label') ?? one.labels?.[0]?.innerText ?? one.innerText)
  .map((name) => name.trim().replace(/\\s+/g, ' '))`

/** An address, a text that shows when its page is there, and where it leads, if that is elsewhere. */
export type Stop = [path: string, text: string | RegExp, end?: string]

/**
 * Walks through pages as the console does itself, without loading it anew, and fails when one offers something else
 * than to read: a control whose name neither reads nor is `granted`, or a link to a form. Returns the methods of the
 * calls that were made on the way.
 */
export async function offersOnly(page: Page, pages: Stop[], granted?: RegExp) {
  const methods = new Set<string>()
  page.on('request', (call) => methods.add(call.method()))
  for (const [path, text, end = path] of pages) {
    await page.evaluate(`history.pushState({}, '', ${JSON.stringify(path)})`)
    await page.waitForURL(`**${end}`)
    await page.getByRole('main').getByText(text).first().waitFor()
    const offered = await page.evaluate<string[]>(controls)
    const more = offered.filter((name) => !reading.test(name) && !granted?.test(name))
    expect(more, `what ${path} offers`).toEqual([])
  }
  return methods
}
