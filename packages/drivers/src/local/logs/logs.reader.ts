import { LogEntry, logFiles } from '@app/contract/instance-link'
import { opendir } from 'node:fs/promises'
import { join } from 'node:path'
import type { LogQuery } from '../../driver.ts'
import { linesAfter, linesBefore, type LogFile, openLogFile } from './logs.blocks.ts'

/** Texts of this length sort as their numbers do. */
const tsDigits = 17
/** The most one call may read. A whole log as a runtime keeps it is smaller; flows may put more into its folder. */
const bytesMax = 24 * 1024 * 1024
/** Files that are looked into, and names that are read to find them. A runtime keeps 32; flows may make any number. */
const filesMax = 100
const namesMax = 10_000

/** Number of bytes that a call has read. */
export interface Reading {
  bytes: number
}

/**
 * Reads log entries from disk, oldest first; the process that writes them need not exist any more. Files are read in
 * blocks from the cursor on, backwards for the newest and for what is before a cursor, and no further than the entries
 * asked for.
 */
export async function readLogs(
  folder: string,
  { cursor, limit }: LogQuery,
  reading: Reading = { bytes: 0 },
): Promise<LogEntry[]> {
  const names = await fileNames(folder)
  if (cursor === undefined) return newest(folder, names, limit, '9'.repeat(tsDigits), reading)
  const ts = cursor.replace('-', '').padStart(tsDigits, '0')
  if (!cursor.startsWith('-')) return oldestAfter(folder, names, limit, ts, reading)
  return newest(
    folder,
    names.filter((name) => startOf(name) < ts),
    limit,
    ts,
    reading,
  )
}

/** The last entries before `ts`. */
async function newest(
  folder: string,
  names: string[],
  limit: number,
  ts: string,
  reading: Reading,
): Promise<LogEntry[]> {
  const from = (file: LogFile) => linesBefore(file, ts)
  const found = await gather(folder, names.toReversed(), { from, isWanted: (entry) => entry.ts < ts, limit, reading })
  return found.toReversed()
}

async function oldestAfter(
  folder: string,
  names: string[],
  limit: number,
  ts: string,
  reading: Reading,
): Promise<LogEntry[]> {
  // Entries after the cursor are in the file that it lies in and those behind it.
  const first = names.findLastIndex((name) => startOf(name) <= ts)
  const from = (file: LogFile) => linesAfter(file, ts)
  const isWanted = (entry: LogEntry) => entry.ts > ts
  return gather(folder, names.slice(Math.max(0, first)), { from, isWanted, limit, reading })
}

interface Gathering {
  from: (file: LogFile) => AsyncIterable<string>
  isWanted: (entry: LogEntry) => boolean
  limit: number
  reading: Reading
}

/** Reads files one after the other until there are enough entries. */
async function gather(folder: string, names: readonly string[], gathering: Gathering): Promise<LogEntry[]> {
  const { limit, reading } = gathering
  const found: LogEntry[] = []
  for (const name of names) {
    const file = await openLogFile(join(folder, name), reading)
    if (!file) continue
    await collect(file, found, gathering)
    if (found.length >= limit || reading.bytes > bytesMax) break
  }
  return found
}

/** Puts entries into `found` until it has enough, then lets go of the file. */
async function collect(file: LogFile, found: LogEntry[], { from, isWanted, limit, reading }: Gathering): Promise<void> {
  try {
    for await (const line of from(file)) {
      const entry = parse(line)
      if (entry && isWanted(entry)) found.push(entry)
      if (found.length >= limit || reading.bytes > bytesMax) return
    }
  } catch {
    // It was rotated away, or its disk failed: what is read already counts.
  } finally {
    await file.close()
  }
}

/** The last line of a file may be half written, and flows may have put in anything. */
function parse(line: string): LogEntry | undefined {
  try {
    return LogEntry.parse(JSON.parse(line))
  } catch {
    return undefined
  }
}

const startOf = (name: string) => logFiles.pattern.exec(name)?.[1] ?? ''

/** The newest, oldest first. */
async function fileNames(folder: string): Promise<string[]> {
  const names: string[] = []
  try {
    for await (const { name } of await opendir(folder, { bufferSize: 100 })) if (names.push(name) >= namesMax) break
  } catch {
    // Gone, or not there yet.
  }
  return names
    .filter((name) => logFiles.pattern.test(name))
    .sort()
    .slice(-filesMax)
}
