import type { Page } from 'playwright-core'
import { until } from './outside.ts'

/**
 * When (milliseconds since the epoch) a part of the page first consisted of this text, such as a badge. The page
 * itself looks, at every change of its contents, so the answer is exact to a frame.
 * @throws Error when it does not happen within the time.
 */
export function momentOf(page: Page, text: string, withinMs = 30_000): Promise<number> {
  return page.evaluate<number>(`new Promise((resolve, reject) => {
    const there = () => [...document.querySelectorAll('main span')]
      .some((element) => element.textContent.trim() === ${JSON.stringify(text)})
    const look = () => {
      if (!there()) return
      observer.disconnect()
      resolve(Date.now())
    }
    const observer = new MutationObserver(look)
    observer.observe(document, { subtree: true, childList: true, characterData: true })
    setTimeout(() => reject(new Error('Never seen: ' + ${JSON.stringify(text)})), ${withinMs})
    look()
  })`)
}

/**
 * Looks out for this text from now on, also after the page goes elsewhere. What it returns waits until the text has come
 * and gone, and answers for how many milliseconds it was there: the page itself looks, at every change.
 */
export async function watchText(page: Page, text: string): Promise<() => Promise<number>> {
  const watch = `(() => {
    const life = (globalThis.life = {})
    const look = () => {
      const isThere = document.body?.textContent.includes(${JSON.stringify(text)})
      if (isThere) life.from ??= performance.now()
      else if (life.from !== undefined) life.to ??= performance.now()
    }
    new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true })
  })()`
  await page.addInitScript(watch)
  await page.evaluate(watch)
  return async () => {
    const life = await until(
      () => page.evaluate<{ from?: number; to?: number }>('globalThis.life'),
      ({ to }) => to !== undefined,
    )
    return life.to! - life.from!
  }
}

/** When the page asked for this path, in milliseconds since it was loaded. */
export const callsOf = (page: Page, path: string): Promise<number[]> =>
  page.evaluate<number[]>(`performance.getEntriesByType('resource')
    .filter(({ name }) => new URL(name).pathname === ${JSON.stringify(path)}).map(({ startTime }) => startTime)`)

/** Types into the search of the page, one key after the other, faster than it waits however busy the machine is. */
export const typeFast = (page: Page, text: string) =>
  page.evaluate(`{
    const box = document.querySelector('main input[type=search]')
    const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')
    for (const typed of ${JSON.stringify([...text].map((_, at) => text.slice(0, at + 1)))}) {
      set.call(box, typed)
      globalThis.lastTyped = performance.now()
      box.dispatchEvent(new Event('input', { bubbles: true }))
    }
  }`)

/** Milliseconds from the last key of `typeFast` to the call to this path. */
export const waitedFor = (page: Page, path: string) =>
  page.evaluate<number>(`performance.getEntriesByType('resource')
    .find(({ name, startTime }) => name.includes('${path}?') && startTime > lastTyped).startTime - lastTyped`)
