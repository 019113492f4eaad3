import { clientWith, freePort } from '@app/server/testing'
import { spawn } from 'node:child_process'
import { get } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Data } from './data.ts'
import { cpuMsOf, rssMbOf } from './processes.ts'

/** A start may have to build first. */
const mostMs = 180_000
const root = join(import.meta.dirname, '../..')

export type Server = Awaited<ReturnType<typeof runServer>>

/** The script behind `npm start`, or the server alone. */
export type Entry = 'tools/start.ts' | 'apps/server/src/main.ts'

/** The server on the given state, in a process of its own. The console must be built. Resolves at its first answer. */
export async function runServer(home: string, entry: Entry = 'tools/start.ts', settings: Record<string, string> = {}) {
  const port = Number(settings.FORGE_PORT ?? (await freePort()))
  const address = `http://127.0.0.1:${port}`
  const env = { ...process.env, FORGE_HOME: home, FORGE_PORT: String(port), FORGE_LOG_LEVEL: 'warn', ...settings }
  const started = performance.now()
  const child = spawn(process.execPath, ['--import', './tools/require-node.mjs', entry], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => (output += part.toString()))
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  while (!(await answers(`${address}/api/v1/settings`))) {
    if (child.exitCode !== null || performance.now() - started > mostMs) {
      child.kill('SIGKILL')
      throw new Error(`The server did not start:\n${output}`)
    }
    await sleep(2)
  }
  const startedInMs = performance.now() - started

  return {
    address,
    port,
    home,
    startedInMs,
    /** The token of the one-time link that a new platform prints. */
    setupToken: () => /\/setup#(\S+)/.exec(output)?.[1],
    /** CPU time of all its threads until now, in milliseconds. */
    cpuMs: () => cpuMsOf(child.pid!),
    /** Resident memory in MB. */
    rssMb: () => rssMbOf(child.pid!),
    client: (cookie: string) => clientWith(address, 'cookie', cookie),
    /** Without a chance to put anything in order. */
    async kill(): Promise<void> {
      child.kill('SIGKILL')
      await ended
    },
    async stop(): Promise<void> {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** A new session of the user who owns the data, as a Cookie header. */
export async function signIn(
  address: string,
  { username, password }: Pick<Data, 'username' | 'password'>,
): Promise<string> {
  const body = JSON.stringify({ username, password })
  const headers = { 'content-type': 'application/json' }
  return sessionOf(await fetch(`${address}/account/login`, { method: 'POST', headers, body }))
}

/** The session that a reply opens, as a Cookie header. @throws Error when it opens none. */
export async function sessionOf(reply: Response): Promise<string> {
  const cookie = reply.headers.getSetCookie()[0]?.split(';')[0]
  if (!cookie) throw new Error(`Signing in failed: ${reply.status} ${await reply.text()}`)
  return cookie
}

function answers(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    get(url, { agent: false }, (reply) => {
      reply.resume()
      resolve(reply.statusCode === 200)
    }).on('error', () => resolve(false))
  })
}
