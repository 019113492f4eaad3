import type { Page } from 'playwright-core'

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
