import type { LogEntry } from '@app/contract/instance-link'
import type { LogQuery } from '../../driver.ts'
import { readLogs } from './logs.reader.ts'

/** Reads the log of an instance whose processes write into a folder each, as if it were one. */
export async function readLogsOf(folders: readonly string[], query: LogQuery): Promise<LogEntry[]> {
  const found = (await Promise.all(folders.map((folder) => readLogs(folder, query)))).filter(({ length }) => length > 0)
  if (found.length < 2) return found[0] ?? []
  const all = found.flat().sort((one, other) => (one.ts < other.ts ? -1 : 1))
  const isForward = query.cursor !== undefined && !query.cursor.startsWith('-')
  return isForward ? all.slice(0, query.limit) : all.slice(-query.limit)
}
