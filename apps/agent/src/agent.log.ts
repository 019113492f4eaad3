import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** Two files of this size at most: the one that is written and the one before. */
const fileBytes = 1024 * 1024

export type Log = ReturnType<typeof openAgentLog>

/** The agent's own log: on its output, which the journal keeps, and in a file of bounded size. */
export function openAgentLog(path: string) {
  let size = sizeOf(path)
  // Whoever read the output may be gone. The agent goes on, and so does its file.
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
    const line = `${new Date().toISOString()} ${level} ${message}\n`
    process.stdout.write(line)
    keep(line)
  }
  return {
    info: (message: string) => write('info', message),
    warn: (message: string) => write('warn', message),
    error: (message: string) => write('error', message),
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
