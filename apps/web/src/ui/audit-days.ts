import { dayKey } from '../lib/dates.ts'

export type Day<T> = { key: string; time: number; entries: T[] }

/** Entries in their order (newest first), cut into the reader's calendar days. */
export function groupByDay<T extends { time: number }>(entries: T[]): Day<T>[] {
  const days: Day<T>[] = []
  for (const entry of entries) {
    const key = dayKey(entry.time)
    const last = days.at(-1)
    if (last?.key === key) last.entries.push(entry)
    else days.push({ key, time: entry.time, entries: [entry] })
  }
  return days
}
