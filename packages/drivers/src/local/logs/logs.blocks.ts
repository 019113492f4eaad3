import { constants } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

const blockBytes = 64 * 1024
/** More than the longest line that a runtime writes; longer ones are no log lines. */
const lineMax = 256 * 1024
const newline = 10

/** A file that can be read at any place. */
export interface LogFile {
  size: number
  /** The bytes from `at` on; fewer than `length` at the end of the file. */
  read(at: number, length: number): Promise<Buffer>
  close(): Promise<void>
}

/**
 * Opens a file that the owner of its folder has made; undefined for others. Flows may put anything there: a link to
 * what only the platform may read, something that never ends. `reading` counts the bytes that are read.
 */
export async function openLogFile(path: string, reading: { bytes: number }): Promise<LogFile | undefined> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => undefined)
  if (!file) return undefined
  const [found, folder] = await Promise.all([file.stat(), stat(dirname(path))]).catch(() => [])
  if (!found?.isFile() || found.uid !== folder?.uid) {
    await file.close()
    return undefined
  }
  return {
    size: found.size,
    async read(at, length) {
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(length), 0, length, at)
      reading.bytes += bytesRead
      return buffer.subarray(0, bytesRead)
    },
    close: () => file.close(),
  }
}

/** The lines from about `ts` on, oldest first: none after it is left out, some before it may come. */
export async function* linesAfter(file: LogFile, ts: string): AsyncGenerator<string> {
  const { from } = await bracket(file, ts)
  let rest: Buffer = Buffer.alloc(0)
  for (let at = from; at < file.size; at += blockBytes) {
    const block = await file.read(at, blockBytes)
    const bytes = rest.length > 0 ? Buffer.concat([rest, block]) : block
    const end = bytes.lastIndexOf(newline) + 1
    if (end > 0) yield* bytes.toString('utf8', 0, end).split('\n')
    rest = bytes.length - end > lineMax ? Buffer.alloc(0) : bytes.subarray(end)
  }
  if (rest.length > 0) yield rest.toString('utf8')
}

/** The lines up to about `ts`, newest first: none before it is left out, some after it may come. */
export async function* linesBefore(file: LogFile, ts: string): AsyncGenerator<string> {
  const { to } = await bracket(file, ts)
  let rest: Buffer = Buffer.alloc(0)
  for (let end = to; end > 0; ) {
    const at = Math.max(0, end - blockBytes)
    const block = await file.read(at, end - at)
    const bytes = rest.length > 0 ? Buffer.concat([block, rest]) : block
    // The line that the block begins in has its beginning in the one before.
    const start = at === 0 ? 0 : bytes.indexOf(newline) + 1
    if (start > 0 || at === 0) yield* bytes.toString('utf8', start).split('\n').toReversed()
    rest =
      at === 0 || (start === 0 && bytes.length > lineMax)
        ? Buffer.alloc(0)
        : start > 0
          ? bytes.subarray(0, start)
          : bytes
    end = at
  }
}

/**
 * Narrows down where `ts` belongs by halves: all lines that begin before `from` are older or it, all that begin at `to`
 * or after are newer or it. Both are beginnings of lines, or the end.
 */
async function bracket(file: LogFile, ts: string): Promise<{ from: number; to: number }> {
  let [from, to] = [0, file.size]
  while (to - from > 2 * blockBytes) {
    const middle = from + Math.floor((to - from) / 2)
    const block = await file.read(middle, blockBytes)
    const start = block.indexOf(newline) + 1
    const found = start > 0 ? /^\{"ts":"(\d{17})"/.exec(block.toString('latin1', start, start + 32))?.[1] : undefined
    // A line longer than a block, or none of a log.
    if (found === undefined) break
    if (found <= ts) from = middle + start
    else to = middle + start
  }
  return { from, to }
}
