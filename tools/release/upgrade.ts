import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, globSync, mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { root } from '../build/built.ts'
import { freePort } from '../test/free-port.ts'
import { createDatabase, startPostgres } from '../test/postgres.ts'
import { ask } from './steady.ts'
import { firstVersion, unpackCommit } from './former.version.ts'

/** The answer of the flow of the first version's instance. */
export const answer = '12 loaves'
const patienceMs = 180_000
const lookEveryMs = 100
/** The account and the key that apps/server/testing/first-version was made with. */
const account = { username: 'alice', password: 'correct horse battery' }
const secretKey = Buffer.alloc(32).toString('base64')

/** Where a platform keeps its data, and the port that it and its instances know each other by. */
export interface Place {
  home: string
  port: number
  /** Absent: the embedded database in the home. */
  databaseUrl?: string
  /** Settings that not every version knows. */
  more?: Record<string, string>
}

export interface Running {
  child: ChildProcess
  said(): string
  /** Ends the server as a service manager does; its instances go on. */
  stop(): Promise<void>
}

const environmentOf = ({ home, port, databaseUrl, more }: Place) => ({
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  FORGE_HOME: home,
  FORGE_PORT: String(port),
  FORGE_SECRET_KEY: secretKey,
  FORGE_ADMIN_USERNAME: account.username,
  FORGE_ADMIN_EMAIL: 'alice@example.com',
  FORGE_ADMIN_PASSWORD: account.password,
  ...(databaseUrl && { FORGE_DATABASE_URL: databaseUrl }),
  ...more,
})

/** A home that needs no download: Node-RED 5.0.7 is linked from where the tests keep it. */
export function makeHome(home: string): void {
  mkdirSync(join(home, 'stacks'), { recursive: true })
  symlinkSync(join(root, '.cache/stacks/5.0.7'), join(home, 'stacks/5.0.7'))
}

/** Starts a server and waits until it answers. @throws Error with what it said, when it ends instead. */
async function run(program: string, args: string[], cwd: string, place: Place): Promise<Running> {
  const child = spawn(program, args, { cwd, env: environmentOf(place), stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(child, 'exit')
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => (said += part.toString()))
  await eventually(
    () => {
      if (child.exitCode !== null) throw new Error(`The server has ended: ${said}`)
      return fetch(`http://localhost:${place.port}/api/v1/settings`).then(
        ({ ok }) => ok,
        () => false,
      )
    },
    (answers) => answers,
  )
  return {
    child,
    said: () => said,
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** Runs a command of the installed package to its end. @returns what it said. */
export const command = (program: string, args: string[], place: Place): string =>
  execFileSync(program, args, { cwd: place.home, env: environmentOf(place), encoding: 'utf8' })

/** Fills a server of the first version with a team and an instance whose flow answers at /orders. */
export const fillFirstVersion = ({ port }: Place): string =>
  execFileSync(process.execPath, [join(root, 'apps/server/testing/first-version/make.ts'), String(port), 'orders'], {
    encoding: 'utf8',
  })

/** The processes of the instances of a home, as the driver has recorded them. */
export const recordsIn = (home: string) =>
  globSync('instances/*/record.json', { cwd: home }).map(
    (path) => JSON.parse(readFileSync(join(home, path), 'utf8')) as { id: string; pid: number; socketDir: string },
  )

/** Asks for the state of things until it is right. @throws Error with the last one, when that takes too long. */
export async function eventually<T>(look: () => T | Promise<T>, isRight: (seen: T) => boolean): Promise<T> {
  for (const until = performance.now() + patienceMs; ; await delay(lookEveryMs)) {
    const seen = await look()
    if (isRight(seen)) return seen
    if (performance.now() > until) throw new Error(`Still ${JSON.stringify(seen)}`)
  }
}

/** Signs in as the person who filled the first version. @returns calls in their name. */
export async function signIn({ port }: Place) {
  const origin = `http://localhost:${port}`
  const headers = { 'content-type': 'application/json', origin }
  const signed = await fetch(`${origin}/account/login`, { method: 'POST', headers, body: JSON.stringify(account) })
  const cookie = signed.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  return async (method: string, path: string, body?: object) => {
    const reply = await fetch(`${origin}${path}`, {
      method,
      headers: { ...headers, cookie },
      ...(method !== 'GET' && { body: JSON.stringify(body ?? {}) }),
    })
    if (!reply.ok) throw new Error(`${method} ${path} answers ${reply.status}: ${await reply.text()}`)
    return (await reply.json()) as Record<string, unknown>
  }
}

/** Request of a person to the flow, under the name of its instance. */
export const asPerson = ({ port }: Place) => ({
  host: '127.0.0.1',
  port,
  path: '/orders',
  headers: { host: `orders.localhost:${port}` },
})

/** Waits until the flow answers people. @throws Error with what they got last, when that takes too long. */
export const untilAnswered = (place: Place): Promise<string> =>
  eventually(
    () => ask(asPerson(place)).catch(String),
    (text) => text === answer,
  )

/** Ends what works in a folder: servers that a failed test left, and instances, which outlive theirs. */
export function endAll(folder: string): void {
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry)))
    try {
      const [cwd, line] = [readlinkSync(`/proc/${name}/cwd`), readFileSync(`/proc/${name}/cmdline`, 'utf8')]
      const [, environment = ''] =
        /\0FORGE_HOME=([^\0]*)/.exec(`\0${readFileSync(`/proc/${name}/environ`, 'utf8')}`) ?? []
      if ([cwd, line, environment].some((text) => text.includes(`${folder}/`))) process.kill(Number(name), 'SIGKILL')
    } catch {
      // It has ended, or is somebody else's.
    }
}

/** A place for the first version, and a way to copy its data as it is, while no server runs. */
export async function newPlace(folder: string, kind: 'sqlite' | 'postgres') {
  const home = join(folder, 'home')
  makeHome(home)
  const port = await freePort()
  if (kind === 'sqlite')
    return {
      place: { home, port } satisfies Place,
      // With what SQLite has not moved into the file yet.
      copyTo: async (other: string) => {
        for (const name of ['forge.db', 'forge.db-wal', 'forge.db-shm'])
          if (existsSync(join(home, name))) cpSync(join(home, name), join(other, name))
        return {}
      },
    }
  const cluster = await startPostgres()
  onTestFinished(cluster.stop)
  return {
    place: { home, port, databaseUrl: await createDatabase(cluster.url, 'forge') } satisfies Place,
    copyTo: async () => ({ databaseUrl: await createDatabase(cluster.url, 'copy', 'forge') }),
  }
}

/** The first version as it was started, and the command of this version, unpacked from the file of its package. */
export function bothVersions(folder: string, file: string) {
  const sources = join(folder, 'first')
  mkdirSync(sources)
  unpackCommit(firstVersion, sources)
  execFileSync('tar', ['-xzf', file, '-C', folder])
  const program = join(folder, 'package/bin/flowforge')
  return {
    program,
    startFirst: (place: Place) => run(process.execPath, ['apps/server/src/main.ts'], sources, place),
    startThis: (place: Place) => run(program, ['start'], place.home, { ...place, more: { FORGE_WARM_PROCESSES: '0' } }),
  }
}
