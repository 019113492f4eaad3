/** Reads what this browser remembers; undefined when nothing is there or storage is refused. */
export function readStored(key: string): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined
  } catch {
    return undefined
  }
}

/** Remembers a text in this browser, or forgets it (undefined). A refusal is not worth an error. */
export function writeStored(key: string, value: string | undefined): void {
  try {
    if (value === undefined) localStorage.removeItem(key)
    else localStorage.setItem(key, value)
  } catch {
    // Private windows may refuse; the choice then lasts as long as the page.
  }
}
