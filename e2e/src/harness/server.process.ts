import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'

const start = join(import.meta.dirname, '../../../tools/start.ts')
const startTimeoutMs = 60_000

export interface ServerProcess {
  pid: number
  /** The one-time set-up link, while nobody has claimed the platform. */
  link: string | undefined
  /** Milliseconds from the start of the process to the line that says it answers. */
  startedInMs: number
  /** Everything it has written so far. */
  output(): string
  /** Sends the signal and waits for the end of the process. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>
}

/** Settings of the machine: npm reaches the registry through a proxy with an authority of its own only by the last. */
const ofMachine = Object.fromEntries(
  ['PATH', 'HOME', 'NODE_EXTRA_CA_CERTS'].flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])),
)

/**
 * Starts the server the way `npm start` does, with these settings and no others.
 * @throws Error with its output when it ends or says nothing for a minute.
 */
export async function startServerProcess(settings: Record<string, string>): Promise<ServerProcess> {
  const began = performance.now()
  const child = spawn(process.execPath, [start], {
    env: { ...ofMachine, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  let output = ''
  await new Promise<void>((resolve, reject) => {
    const fail = (what: string) => reject(new Error(`The server ${what}.\n${output}`))
    const timer = setTimeout(() => fail('did not say in time that it answers'), startTimeoutMs)
    const keep = (part: Buffer) => {
      output += part.toString()
      if (output.includes('FlowForge answers on')) resolve()
    }
    child.stdout.on('data', keep)
    child.stderr.on('data', keep)
    child.once('error', reject)
    void ended.then(() => fail('ended'))
    void ended.finally(() => clearTimeout(timer))
  }).catch((error: unknown) => {
    child.kill('SIGKILL')
    throw error
  })
  return {
    pid: pidOf(child),
    link: /http\S+\/setup#\S+/.exec(output)?.[0],
    startedInMs: Math.round(performance.now() - began),
    output: () => output,
    async end(signal) {
      child.kill(signal)
      await ended
    },
  }
}

function pidOf(child: ChildProcess): number {
  if (child.pid === undefined) throw new Error('The server has no process id')
  return child.pid
}
