import { appendFileSync, mkdirSync, readFileSync, renameSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Line } from './logs/line.ts'

/** Two files of this size at most: the one that is written and the one before. */
const fileBytes = 1024 * 1024

export type Log = ReturnType<typeof openAgentLog>

/** The agent's own log: on its output, which the journal keeps, and in a file of bounded size. */
export function openAgentLog(path: string) {
  let size = sizeOf(path)
  const listeners = new Set<(line: Line) => void>()
  const stamp = stamper()
  // The reader of the output may be gone. The agent goes on, and so does its file.
  process.stdout.on('error', () => {})

  function keep(line: string): void {
    try {
      if (size === 0) mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      if (size + line.length > fileBytes) {
        renameSync(path, `${path}.1`)
        size = 0
      }
      appendFileSync(path, line, { mode: 0o600 })
      size += line.length
    } catch {
      // A full disk must not end the agent. The line is on the output.
    }
  }
  function write(level: string, message: string): void {
    const now = new Date()
    const line = `${now.toISOString()} ${level} ${message.replaceAll('\n', ' ')}\n`
    process.stdout.write(line)
    keep(line)
    const ts = stamp(now.getTime())
    for (const listener of listeners) listener({ ts, level, msg: message })
  }
  return {
    info: (message: string) => write('info', message),
    warn: (message: string) => write('warn', message),
    error: (message: string) => write('error', message),
    /** Its newest lines, oldest first. */
    lines(limit: number): Line[] {
      const stampOf = stamper()
      const lines = [`${path}.1`, path].flatMap((file) => textOf(file).split('\n'))
      return lines.slice(-limit).flatMap((line) => {
        const [, at = '', level = '', msg = ''] = /^(\S+) (\w+) (.*)$/.exec(line) ?? []
        const ms = Date.parse(at)
        return Number.isNaN(ms) ? [] : [{ ts: stampOf(ms), level, msg }]
      })
    },
    /** Tells of each new line until the returned function is called. */
    follow(listener: (line: Line) => void): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

/** Milliseconds with a count of four digits, so that lines of the same millisecond keep their order. */
function stamper() {
  let last = 0
  let count = 0
  return (ms: number): string => {
    count = ms === last ? count + 1 : 0
    last = ms
    return `${ms}${String(count).padStart(4, '0')}`
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
