import type { LogEntry } from '@app/contract/instance-link'
import type { LogQuery } from '../driver.ts'

/** Answers a query from entries in memory, oldest first. */
export function queryLogs(entries: LogEntry[], { cursor, limit }: LogQuery): LogEntry[] {
  if (cursor === undefined) return entries.slice(-limit)
  if (cursor.startsWith('-')) return entries.filter(({ ts }) => BigInt(ts) < BigInt(cursor.slice(1))).slice(-limit)
  return entries.filter(({ ts }) => BigInt(ts) > BigInt(cursor)).slice(0, limit)
}
