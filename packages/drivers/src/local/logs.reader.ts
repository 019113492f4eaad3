import { LogEntry, logFiles } from '@app/contract/instance-link'
import { constants } from 'node:fs'
import { open, readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { LogQuery } from '../driver.ts'

/** Texts of this length sort as their numbers do. */
const tsDigits = 17
/** Several times what a runtime writes into one. */
const fileMax = 4 * 1024 * 1024

/** Reads log entries from disk, oldest first; the process that writes them need not exist any more. */
export async function readLogs(folder: string, { cursor, limit }: LogQuery): Promise<LogEntry[]> {
  const names = await fileNames(folder)
  if (cursor === undefined) return newest(folder, names, limit, () => true)
  const ts = cursor.replace('-', '').padStart(tsDigits, '0')
  if (!cursor.startsWith('-')) return oldestAfter(folder, names, limit, ts)
  const older = names.filter((name) => startOf(name) < ts)
  return newest(folder, older, limit, (entry) => entry.ts < ts)
}

async function newest(
  folder: string,
  names: string[],
  limit: number,
  wanted: (entry: LogEntry) => boolean,
): Promise<LogEntry[]> {
  let found: LogEntry[] = []
  for (const name of names.toReversed()) {
    if (found.length >= limit) break
    found = [...(await readEntries(join(folder, name))).filter(wanted), ...found]
  }
  return found.slice(Math.max(0, found.length - limit))
}

async function oldestAfter(folder: string, names: string[], limit: number, cursor: string): Promise<LogEntry[]> {
  const found: LogEntry[] = []
  // Entries after the cursor are in the file that it lies in and those behind it.
  const first = Math.max(
    0,
    names.findLastIndex((name) => startOf(name) <= cursor),
  )
  for (const name of names.slice(first)) {
    if (found.length >= limit) break
    found.push(...(await readEntries(join(folder, name))).filter(({ ts }) => ts > cursor))
  }
  return found.slice(0, limit)
}

const startOf = (name: string) => logFiles.pattern.exec(name)?.[1] ?? ''

async function fileNames(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => [])
  return names.filter((name) => logFiles.pattern.test(name)).sort()
}

/** A file may be rotated away between its listing and its reading, and its last line may be half written. */
async function readEntries(path: string): Promise<LogEntry[]> {
  const text = await readOwn(path).catch(() => '')
  return text.split('\n').flatMap((line) => {
    try {
      return [LogEntry.parse(JSON.parse(line))]
    } catch {
      return []
    }
  })
}

/**
 * Reads a file that the owner of its folder has made. Flows may put anything there: a link to what only the platform
 * may read, something that never ends, a file without bounds.
 */
async function readOwn(path: string): Promise<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const [found, folder] = await Promise.all([file.stat(), stat(dirname(path))])
    if (!found.isFile() || found.uid !== folder.uid || found.size > fileMax) return ''
    return await file.readFile('utf8')
  } finally {
    await file.close()
  }
}
