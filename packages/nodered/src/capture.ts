import type { LogNode } from '@app/contract/instance-link'
import { tracedText } from './error.text.ts'
import type { LogWriter } from './logs.ts'
import type { NodeRedMessage } from './stack.ts'

const levels: Record<number, string> = { 10: 'fatal', 20: 'error', 30: 'warn', 40: 'info', 50: 'debug', 60: 'trace' }
/** A line without an end must not grow for ever. */
const lineMax = 64 * 1024

/**
 * Writes a message of Node-RED's log as one entry: `[type:name] text`, as its own console shows it, and of an error where
 * it was thrown. `node` is the one that says it.
 */
export function logMessage(
  log: LogWriter,
  { level, type, name, id, msg }: NodeRedMessage,
  node: LogNode | undefined,
): void {
  log.write(levels[level] ?? 'info', `${type ? `[${type}:${name || id}] ` : ''}${written(msg)}`, node)
}

function written(msg: unknown): string {
  const text = tracedText(msg)
  return text === '[object Object]' ? JSON.stringify(msg) : text
}

/** Turns everything nodes print with console or to the standard streams into entries as well, one per line. */
export function captureStreams(log: LogWriter): void {
  capture(process.stdout, (line) => log.write('info', line))
  capture(process.stderr, (line) => log.write('warn', line))
}

function capture(stream: NodeJS.WriteStream, onLine: (line: string) => void): void {
  let rest = ''
  stream.write = (chunk: string | Uint8Array, encoding?: unknown, done?: unknown): boolean => {
    const lines = (rest + (typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString())).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > lineMax) {
      lines.push(rest)
      rest = ''
    }
    for (const line of lines) if (line.trim() !== '') onLine(line)
    const callback = typeof encoding === 'function' ? encoding : done
    if (typeof callback === 'function') process.nextTick(callback)
    return true
  }
}
