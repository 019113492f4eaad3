import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { Config } from '../src/config.ts'

const deadlineMs = 60_000

/** A server in a process of its own, which can be killed and started again on the same data. `main` is its program. */
export function createVictim(config: Config, main: string) {
  let child: ChildProcess | undefined
  let complaints = ''

  async function answers(): Promise<boolean> {
    try {
      return (await fetch(`http://127.0.0.1:${config.port}/api/v1/settings`)).ok
    } catch {
      return false
    }
  }

  return {
    /** The error output of the servers. */
    complaints: () => complaints,

    /**
     * Resolves at the first answer, with the milliseconds it took. `more`: what its environment has besides.
     * @throws Error when it ends by itself.
     */
    async start(more: NodeJS.ProcessEnv = {}): Promise<number> {
      const begin = performance.now()
      const started = spawn(process.execPath, [main], {
        env: {
          ...process.env,
          NODE_OPTIONS: '',
          NODE_COMPILE_CACHE: `${config.home}/compiled`,
          CRASH_CONFIG: JSON.stringify(config),
          ...more,
        },
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      child = started
      started.stderr.on('data', (part: Buffer) => (complaints = (complaints + part.toString()).slice(-20_000)))
      while (!(await answers())) {
        if (started.exitCode !== null) throw new Error(`The server ended with ${started.exitCode}:\n${complaints}`)
        if (performance.now() - begin > deadlineMs) throw new Error(`The server does not answer:\n${complaints}`)
        await pause(10)
      }
      return performance.now() - begin
    },

    /** Resolves with its exit code once it has ended by itself. */
    async over(): Promise<number | null> {
      if (child && child.exitCode === null && child.signalCode === null) await once(child, 'exit')
      return child?.exitCode ?? null
    },

    /** Resolves once it has frozen itself. */
    async frozen(): Promise<void> {
      const state = () => readFileSync(`/proc/${child!.pid}/stat`, 'utf8').split(') ').at(-1)![0]
      while (state() !== 'T') await pause(10)
    },
    goOn: (): void => void child!.kill('SIGCONT'),

    /** `SIGKILL` is what kill -9 sends; with `SIGTERM` it ends by itself. Returns its exit code. */
    async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> {
      const ending = child
      if (!ending || ending.exitCode !== null || ending.signalCode !== null) return ending?.exitCode ?? null
      const over = once(ending, 'exit')
      ending.kill(signal)
      await over
      return ending.exitCode
    },
  }
}
export type Victim = ReturnType<typeof createVictim>
