import type { LogEntry } from '@app/contract/instance-link'
import { logFiles } from '@app/contract/instance-link.constants'
import { closeSync, fstatSync, mkdirSync, openSync, readdirSync, readFileSync, unlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { createFloodgate } from './logs.flood.ts'

const fileBytes = 512 * 1024
/** Together about 100,000 lines. */
const filesMax = 32
const messageMax = 16 * 1024
const recentMax = 1_000
/** Two processes of an instance share a log: the entries of each have a half of the numbers in a millisecond. */
const firstOfSlot = ['0000', '5000'] as const
/** After the last line of a flood, until it is said how many are missing. */
const afterFloodMs = 1_000

export interface LogWriter {
  write(level: string, message: string): void
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
  const gate = createFloodgate()
  let flood: NodeJS.Timeout | undefined
  let last = recent.at(-1)?.ts ?? ''
  let file = -1
  let size = 0

  function put(line: string, ts: string): void {
    if (file < 0 || size + line.length > fileBytes) {
      if (file >= 0) closeSync(file)
      file = openSync(join(folder, logFiles.name(ts)), 'a', 0o600)
      size = fstatSync(file).size
      for (const name of fileNames(folder).slice(0, -filesMax)) unlinkSync(join(folder, name))
    }
    size += writeSync(file, line)
  }

  function enter(level: string, msg: string): void {
    last = nextTs(last, firstOfSlot[slot])
    const entry = { ts: last, level, msg, src }
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
    const held = gate.takeHeld()
    if (held > 0) enter('warn', `… ${held} lines left out: more was logged than a log takes`)
  }

  return {
    write(level, message) {
      const msg = message.length > messageMax ? `${message.slice(0, messageMax)}…` : message
      // Why a process ends is said in any case.
      if (!gate.passes(msg.length) && level !== 'fatal') {
        flood ??= setTimeout(markFlood, afterFloodMs).unref()
        flood.refresh()
        return
      }
      markFlood()
      enter(level, msg)
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

function readBack(folder: string): LogEntry[] {
  const newest = fileNames(folder).at(-1)
  if (!newest) return []
  const lines = readFileSync(join(folder, newest), 'utf8').split('\n').slice(-recentMax)
  return lines.flatMap((line) => {
    try {
      return [JSON.parse(line) as LogEntry]
    } catch {
      // The end of the file, or a line that a power cut left half written.
      return []
    }
  })
}
