import type { LogEntry, LogNode } from '@app/contract/instance-link'
import { logFiles } from '@app/contract/instance-link.constants'
import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { createRateLimit } from './logs.flood.ts'

const fileBytes = 512 * 1024
/** Together about 100,000 lines. */
const filesMax = 32
const messageMax = 16 * 1024
const recentMax = 1_000
const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants
/** Flows can put links and pipes into the folder: neither is followed or waited for. */
const appending = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK
const reading = O_RDONLY | O_NOFOLLOW | O_NONBLOCK
/** An entry that is further ahead than a clock can be off is none of ours, and would lead all that follow. */
const aheadMs = 24 * 60 * 60_000

/** Two processes of an instance share a log: the entries of each have a half of the numbers in a millisecond. */
const firstOfSlot = ['0000', '5000'] as const
/** After the last line of a flood, until it is said how many are missing. */
const afterFloodMs = 1_000

export interface LogWriter {
  /** `node` is the one that says it. */
  write(level: string, message: string, node?: LogNode): void
  /** The newest entries after this `ts`, oldest first; without it, all that are remembered (1000). */
  recent(after?: string): LogEntry[]
  /** Called with each new entry until the returned function is called. */
  follow(listener: (entry: LogEntry) => void): () => void
}

/**
 * Writes a log of at most about 16 MiB into a folder, oldest files first out. Each entry is handed to the
 * operating system before `write` returns: what was logged survives a crash of the process, and needs no platform.
 * Of a flood of lines a part is left out, and a line in their place says how many. `src` stands in each entry.
 */
export function openLog(folder: string, src: string, slot: 0 | 1 = 0): LogWriter {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const recent = readBack(folder)
  const listeners = new Set<(entry: LogEntry) => void>()
  const limit = createRateLimit()
  let flood: NodeJS.Timeout | undefined
  let last = recent.at(-1)?.ts ?? ''
  let file = -1
  let size = 0

  function put(line: string, ts: string): void {
    if (file < 0 || size + line.length > fileBytes) {
      if (file >= 0) closeSync(file)
      file = openSync(join(folder, logFiles.name(ts)), appending, 0o600)
      size = fstatSync(file).size
      for (const name of fileNames(folder).slice(0, -filesMax))
        rmSync(join(folder, name), { recursive: true, force: true })
    }
    size += writeSync(file, line)
  }

  function enter(level: string, msg: string, node?: LogNode): void {
    last = nextTs(last, firstOfSlot[slot])
    const entry = { ts: last, level, msg, src, ...(node ? { node } : {}) }
    try {
      put(`${JSON.stringify(entry)}\n`, last)
    } catch {
      // A full disk must not stop the flows. Who watches still sees the line.
    }
    recent.push(entry)
    if (recent.length > recentMax) recent.shift()
    for (const listener of listeners) listener(entry)
  }

  function markFlood(): void {
    const held = limit.takeHeld()
    if (held > 0)
      enter('warn', `… ${held === 1 ? '1 line' : `${held} lines`} left out: more was logged than a log takes`)
  }

  return {
    write(level, message, node) {
      const msg = message.length > messageMax ? `${message.slice(0, messageMax)}…` : message
      // Why a process ends is said in any case.
      if (!limit.passes(msg.length) && level !== 'fatal') {
        flood ??= setTimeout(markFlood, afterFloodMs).unref()
        flood.refresh()
        return
      }
      markFlood()
      enter(level, msg, node)
    },
    recent: (after = '') => recent.filter(({ ts }) => ts > after),
    follow(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** Grows with every entry, even when the clock is put back or a millisecond has more lines than numbers. */
function nextTs(last: string, first: string): string {
  const now = `${Date.now()}${first}`
  return now > last ? now : String(BigInt(last) + 1n)
}

const fileNames = (folder: string) =>
  readdirSync(folder)
    .filter((name) => logFiles.pattern.test(name))
    .sort()

/** The last entries of the newest file that can be read: flows own the folder, and a start must not depend on them. */
function readBack(folder: string): LogEntry[] {
  for (const name of fileNames(folder).toReversed()) {
    const entries = entriesIn(join(folder, name))
    if (entries.length > 0) return entries
  }
  return []
}

function entriesIn(path: string): LogEntry[] {
  const latest = `${Date.now() + aheadMs}0000`
  return (readPlain(path) ?? '')
    .split('\n')
    .slice(-recentMax)
    .flatMap((line) => {
      try {
        const entry = JSON.parse(line) as LogEntry
        return isEntry(entry) && entry.ts < latest ? [entry] : []
      } catch {
        // The end of the file, or a line that a power cut left half written.
        return []
      }
    })
}

const isEntry = ({ ts, level, msg, src }: LogEntry) =>
  /^\d{17}$/.test(ts) && [level, msg, src].every((text) => typeof text === 'string')

/** Undefined for anything but a plain file of the size of a log that may be read. */
function readPlain(path: string): string | undefined {
  let file: number | undefined
  try {
    file = openSync(path, reading)
    const stat = fstatSync(file)
    return stat.isFile() && stat.size <= fileBytes * 2 ? readFileSync(file, 'utf8') : undefined
  } catch {
    return undefined
  } finally {
    if (file !== undefined) closeSync(file)
  }
}
