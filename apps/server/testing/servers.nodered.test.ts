import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, symlinkSync } from 'node:fs'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { createDatabase, startPostgres } from '../../../tools/test/postgres.ts'
import { clientWith, freePort, password, startServer, until } from './index.ts'

const root = join(import.meta.dirname, '../../..')
const patience = 90_000

interface Platform {
  child: ChildProcess
  port: number
  said(): string
}

/** The platform as people start it. Resolves at its first answer. */
async function run(home: string, databaseUrl: string): Promise<Platform> {
  const port = await freePort()
  const child = spawn(process.execPath, ['--import', './tools/require-node.mjs', 'apps/server/src/main.ts'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      FORGE_HOME: home,
      FORGE_PORT: String(port),
      FORGE_DATABASE_URL: databaseUrl,
      FORGE_WARM_PROCESSES: '0',
      FORGE_INSTANCE_UIDS: 'none',
    },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => (said += part.toString()))
  await until(
    async () => {
      if (child.exitCode !== null) throw new Error(`The platform has ended: ${said}`)
      return fetch(`http://127.0.0.1:${port}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      )
    },
    Boolean,
    patience,
  )
  return { child, port, said: () => said }
}

async function end({ child }: Platform, signal: NodeJS.Signals): Promise<void> {
  const over = once(child, 'exit')
  child.kill(signal)
  await over
}

async function signIn({ port }: Platform, username: string) {
  const address = `http://127.0.0.1:${port}`
  const signed = await fetch(`${address}/account/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password }),
  })
  return clientWith(address, 'cookie', signed.headers.getSetCookie()[0]!.split(';')[0]!)
}

const pidOf = (home: string, id: string) =>
  (JSON.parse(readFileSync(join(home, 'instances', id, 'record.json'), 'utf8')) as { pid: number }).pid

/** Or waits only for somebody to ask what became of it, who may not exist in a container. */
function hasEnded(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.startsWith('Z')
  } catch {
    return true
  }
}

test('a server that was frozen while another took the instances over ends its Node-RED and itself when it goes on', async () => {
  const cluster = await startPostgres({ durable: false })
  onTestFinished(() => cluster.stop())
  const databaseUrl = await createDatabase(cluster.url)
  const prepared = await startServer({ config: { databaseUrl } })
  onTestFinished(() => prepared.close())
  const { owner, team } = await prepared.build.platform()
  const { id } = await prepared.build.instance(owner, await prepared.build.application(owner, team))
  await prepared.stop()
  const first = prepared.config.home
  const second = await mkdtemp(join(tmpdir(), 'forge-second-'))
  onTestFinished(() => rm(second, { recursive: true, force: true }))
  await cp(join(first, 'keys'), join(second, 'keys'), { recursive: true })
  for (const home of [first, second])
    symlinkSync(process.env.FORGE_TEST_STACKS ?? join(root, '.cache/stacks'), join(home, 'stacks'))

  const one = await run(first, databaseUrl)
  const running = async (at: Platform) => {
    const client = await signIn(at, owner.username)
    await until(
      () => client.call('instance.get', { params: { instanceId: id } }),
      ({ meta }) => meta.state === 'running',
      patience,
    )
    return client
  }
  await running(one)
  const frozen = pidOf(first, id)
  onTestFinished(() => {
    if (!hasEnded(frozen)) process.kill(frozen, 'SIGKILL')
  })
  one.child.kill('SIGSTOP')
  // As if a minute had passed.
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query('update instance_host set seen_at = seen_at - 90000')
  await client.end()

  const two = await run(second, databaseUrl)
  const takeover = 'its processes may still run on its machine, and must be ended there'
  await until(
    async () => two.said(),
    (said) => said.includes(takeover),
    patience,
  )
  const asked = await running(two)
  const serving = pidOf(second, id)
  onTestFinished(() => {
    if (!hasEnded(serving)) process.kill(serving, 'SIGKILL')
  })
  expect([serving !== frozen, hasEnded(frozen)]).toEqual([true, false])

  // The last words of the child are read only then.
  const over = once(one.child, 'close')
  one.child.kill('SIGCONT')
  const [code] = (await over) as [number | null]
  expect(code).toBe(1)
  expect(one.said()).toContain('Another server took the instances over')
  expect([hasEnded(frozen), hasEnded(serving)]).toEqual([true, false])
  // The server that has the instances does the work.
  await asked.call('instance.restart', { params: { instanceId: id } })
  await until(async () => hasEnded(serving), Boolean, patience)
  await running(two)
  await asked.call('instance.suspend', { params: { instanceId: id } })
  await until(
    () => asked.call('instance.get', { params: { instanceId: id } }),
    ({ meta }) => meta.state === 'suspended',
    patience,
  )
  await end(two, 'SIGTERM')
})
