/** Returns what a person changed in a form after it was sent: that stays when the answer comes. */
export const changedSince = <T extends object>(sent: T, now: T): Partial<T> =>
  Object.fromEntries(Object.entries(now).filter(([name, value]) => sent[name as keyof T] !== value)) as Partial<T>
