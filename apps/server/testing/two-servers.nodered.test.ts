import type { Deployment } from '@app/contract'
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { bundle, runtimeEntry } from '../../../tools/build/node-build.ts'
import { createDatabase, startPostgres } from '../../../tools/test/postgres.ts'
import { openDriver } from '../src/drivers.ts'
import { createVictim, type Victim } from './crash.process.ts'
import { freePort, until } from './index.ts'
import { stacksDir } from './homes.ts'
import { labelled, type Node, on, openRealPlatform } from './real.platform.ts'
import { send } from './request.ts'

/*
 * Two servers on one PostgreSQL, each with a FORGE_HOME of its own. The one with the instances dies with its machine, or
 * freezes, in the middle of a deployment, and the other takes over.
 */
const patience = 90_000
let cluster: Awaited<ReturnType<typeof startPostgres>>
beforeAll(async () => {
  cluster = await startPostgres({ durable: false })
})
afterAll(() => cluster.stop())

/** Nodes that make flows be refused, at their start or only once they act. */
const missing = on('lacks', 'modbus-read')
const fails = [
  on('sends', 'inject', { once: true, onceDelay: 0.1, repeat: '', props: [], wires: [['throws']] }),
  on('throws', 'function', { func: 'throw new Error("no flour")', outputs: 1, wires: [[]] }),
]

/** The processes of an instance that run under a home, by what the driver has on record. */
function pidsIn(home: string, id: string): number[] {
  const records = ['record.json', 'record.1.json'].map((name) => join(home, 'instances', id, name)).filter(existsSync)
  return records
    .map((path) => (JSON.parse(readFileSync(path, 'utf8')) as { pid: number }).pid)
    .filter((pid) => {
      try {
        return !readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.startsWith('Z')
      } catch {
        return false
      }
    })
}
const actedIn = async (home: string, id: string) =>
  (await readFile(join(home, 'instances', id, 'user', 'acted.txt'), 'utf8').catch(() => '')).split('\n').slice(0, -1)

/** An instance on the first of two servers, which serves `first`. */
async function begin(version: string, takeover: string) {
  const databaseUrl = await createDatabase(cluster.url)
  const hostTimes = { beatMs: 500, holdMs: 1_500 }
  const platform = await openRealPlatform({ databaseUrl, hostTimes })
  const one = await platform.make(version)
  await platform.importTo(one, labelled('first'))
  await platform.raw('PUT', `/${one.id}`, { takeover, onErrors: 'refuse' })
  await platform.server.stop()
  const { home, server } = platform
  await bundle({ main: 'apps/server/testing/kill.server.ts' }, join(home, 'program'))
  const main = join(home, 'program/main.js')
  const other = await mkdtemp(join(tmpdir(), 'forge-other-'))
  mkdirSync(join(other, 'stacks'))
  for (const stack of await readdir(stacksDir)) symlinkSync(join(stacksDir, stack), join(other, 'stacks', stack))
  cpSync(join(home, 'keys'), join(other, 'keys'), { recursive: true })
  const port = await freePort()
  const configs = [
    { ...server.config, runtimeEntry },
    { ...server.config, runtimeEntry, home: other, port, baseUrl: `http://localhost:${port}` },
  ]
  const [former, next] = configs.map((config) => createVictim(config as never, main)) as [Victim, Victim]
  onTestFinished(async () => {
    for (const victim of [former, next]) await victim.end('SIGKILL')
    const driver = openDriver({ ...server.config, home: other })
    for (const id of await driver.adopt()) await driver.remove(id)
    await driver.close()
    await platform.sweep()
    await rm(other, { recursive: true, force: true })
  })
  /** The last deployment, as the other server tells. */
  async function last(): Promise<Deployment> {
    const path = `/api/v1/projects/${one.id}/deployments`
    const { json } = await send(`http://127.0.0.1:${port}`, 'GET', path, { headers: { cookie: platform.owner.cookie } })
    return (json.deployments as Deployment[])[0]!
  }
  return {
    home,
    other,
    former,
    one,
    last,
    deploy: (flows: Node[]) => platform.raw('POST', `/${one.id}/import`, { flows: JSON.stringify(flows) }),
    /** The other server starts, as if the former had been silent for long, and does the deployment to its end. */
    async takesOver(): Promise<Deployment> {
      const client = new pg.Client({ connectionString: databaseUrl })
      await client.connect()
      await client.query('update instance_host set seen_at = seen_at - 90000')
      await client.query('update jobs set lease_until = 0')
      await client.end()
      await next.start()
      return until(last, ({ state }) => state === 'done' || state === 'failed', patience)
    },
    counts: async (where: string, label: string) =>
      (await actedIn(where, one.id)).filter((line) => line === label).length,
  }
}

const versionOf = (label: string, how: string) => [
  ...labelled(label),
  ...(how === 'early' ? [missing] : how === 'late' ? fails : []),
]

test.each([
  ['4.1.15', 'held', 'good', 'prepareModules'],
  ['5.0.7', 'held', 'good', 'pair.pause'],
  ['5.0.7', 'stop-first', 'good', 'pair.release'],
  ['4.1.15', 'held', 'early', 'pair.startCandidate'],
  ['5.0.7', 'held', 'late', 'pair.release'],
] as const)('on Node-RED %s, %s: a machine that dies with a %s version after %s', async (version, way, how, at) => {
  const { former, deploy, takesOver, counts, home, other, one } = await begin(version, way)
  await former.start({ KILL_AT: at })
  expect(await deploy(versionOf('second', how))).toMatchObject({ status: 200 })
  await former.over()
  for (const pid of pidsIn(home, one.id)) process.kill(pid, 'SIGKILL')
  const deployment = await takesOver()
  expect(deployment.state).toBe(how === 'good' ? 'done' : 'failed')
  expect(deployment.reason ?? '').toMatch({ good: /^$/, early: /modbus-read is missing/, late: /no flour/ }[how])
  await until(
    async () => pidsIn(other, one.id).length,
    (count) => count === 1,
    patience,
  )
  // One that shows its fault only when it acts is tried by each server.
  await expect.poll(() => counts(other, how === 'good' ? 'second' : 'first')).toBe(1)
  expect(await counts(other, how === 'good' ? 'first' : 'second')).toBe(how === 'late' ? 1 : 0)
})

test.each([
  ['5.0.7', 'held', 'good', 'pair.pause'],
  ['4.1.15', 'held', 'good', 'pair.takeOver'],
  ['5.0.7', 'stop-first', 'good', 'pair.startHeld'],
  ['4.1.15', 'stop-first', 'good', 'pair.pause'],
  ['5.0.7', 'held', 'early', 'pair.startCandidate'],
] as const)(
  'on Node-RED %s, %s: a server that freezes with a %s version after %s, and goes on when another has taken over',
  async (version, way, how, at) => {
    const { former, deploy, takesOver, last, counts, home, other, one } = await begin(version, way)
    await former.start({ FREEZE_AT: at })
    const before = await counts(home, 'first')
    expect(await deploy(versionOf('second', how))).toMatchObject({ status: 200 })
    await former.frozen()
    const deployment = await takesOver()
    expect(deployment.state).toBe(how === 'good' ? 'done' : 'failed')
    const serves = how === 'good' ? 'second' : 'first'
    await expect.poll(() => counts(other, serves)).toBe(1)
    former.goOn()
    expect(await former.over()).toBe(1)
    expect(former.complaints()).toContain('Another server took the instances over')
    // Nothing of the server that was frozen began to act again, and nothing of it runs.
    expect([await counts(home, 'second'), await counts(home, 'first')]).toEqual([0, before])
    expect([pidsIn(home, one.id).length, pidsIn(other, one.id).length]).toEqual([0, 1])
    expect([await counts(other, 'first'), await counts(other, 'second')]).toEqual(how === 'good' ? [0, 1] : [1, 0])
    // It has not written over what the other has done either.
    expect(await last()).toEqual(deployment)
  },
)
