/** Runs what concerns one key one after the other, and different keys side by side. */
export function createSerial() {
  const last = new Map<string, Promise<unknown>>()
  return async function serial<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = last.get(key) ?? Promise.resolve()
    const mine = before.then(work, work)
    const settled = mine.catch(() => {})
    last.set(key, settled)
    void settled.then(() => {
      if (last.get(key) === settled) last.delete(key)
    })
    return mine
  }
}
