import { clientWith, freePort, send, until, untilJobsEnded } from './index.ts'
import { createVictim, type Victim } from './crash.process.ts'
import { verify } from './crash.verify.ts'
import { createWriter, random, type World, type Writer } from './crash.writer.ts'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createDatabase } from '../../../tools/test/postgres.ts'
import { bundle } from '../../../tools/build/node-build.ts'
import type { Config } from '../src/config.ts'
import { openDatabase } from '../src/platform/db/database.ts'
import { usualConfig } from './usual.config.ts'

/** A few, on each of the two databases; fifty show what comes up once in a while. */
const kills = process.env.FORGE_TEST_KILLS === 'all' ? 50 : 12
const writers = 4
const admin = { username: 'keeper', email: 'keeper@example.com', password: 'correct horse battery' }

async function configure(): Promise<Config> {
  const home = await mkdtemp(join(tmpdir(), 'forge-crash-'))
  const port = await freePort()
  const databaseUrl =
    process.env.TEST_DATABASE === 'postgres' ? await createDatabase(process.env.TEST_POSTGRES_URL!) : undefined
  return {
    home,
    port,
    ...usualConfig,
    baseUrl: `http://localhost:${port}`,
    instanceDomain: `localhost:${port}`,
    logLevel: 'error',
    admin,
    ...(databaseUrl ? { databaseUrl } : {}),
  }
}

async function worldOf(address: string): Promise<World & { userId: string }> {
  const login = { username: admin.username, password: admin.password }
  const answer = await send(address, 'POST', '/account/login', { body: login })
  const client = clientWith(address, 'cookie', answer.headers.getSetCookie()[0]!.split(';')[0]!)
  const { id: userId } = await client.call('account.get')
  const types = await client.call('team.types')
  const { types: instanceTypes } = await client.call('instanceType.list')
  const { stacks } = await client.call('stack.list')
  const { templates } = await client.call('template.list')
  const choice = { projectType: instanceTypes[0]!.id, stack: stacks[0]!.id, template: templates[0]!.id }
  return { address, client, choice, teamType: types.types[0]!.id, login, userId }
}

/**
 * Kills at any moment, and every other time not before something was acknowledged since the start. Returns how long each
 * start took, the fastest first.
 */
async function killAndRestart(victim: Victim, seed: number, acknowledged: () => number): Promise<number[]> {
  const { next } = random(seed)
  const starts: number[] = []
  for (let kill = 0; kill < kills; kill++) {
    const before = acknowledged()
    await pause(20 + next() * 300)
    if (kill % 2 === 1)
      await until(
        async () => acknowledged(),
        (now) => now > before,
      )
    expect(await victim.end('SIGKILL')).toBeNull()
    starts.push(await victim.start())
  }
  return starts.sort((a, b) => a - b)
}

test('a server that is killed again and again while it writes has lost nothing that it acknowledged', {
  timeout: 600_000,
}, async () => {
  const config = await configure()
  // As what `npm start` runs: in one file, which starts in half the time.
  await bundle({ main: 'apps/server/testing/crash.server.ts' }, join(config.home, 'program'))
  const victim = createVictim(config, join(config.home, 'program/main.js'))
  let crew: Writer[] = []
  try {
    await victim.start()
    const world = await worldOf(`http://127.0.0.1:${config.port}`)
    const seed = Date.now() % 100_000
    crew = Array.from({ length: writers }, (_, n) => createWriter(world, seed + n))
    const work = crew.map(async (writer) => writer.run())
    const acknowledged = () => crew.reduce((sum, writer) => sum + writer.acknowledged(), 0)
    const starts = await killAndRestart(victim, seed, acknowledged)
    for (const writer of crew) writer.stop()
    await Promise.all(work)

    const database = await openDatabase({ home: config.home, url: config.databaseUrl })
    await untilJobsEnded(database)
    const facts = crew.flatMap((writer) => writer.facts)
    const wrong = await verify(database, world.address, facts, world.userId)
    await database.close()

    const at = (share: number) => starts[Math.floor(starts.length * share)]!
    console.log(
      `seed ${seed}: ${kills} kills, ${acknowledged()} calls acknowledged, ready again after ${Math.round(at(0.5))} ms, at worst ${Math.round(starts.at(-1)!)}`,
    )
    expect(wrong).toEqual([])
    expect(crew.flatMap((writer) => writer.faults)).toEqual([])
    expect(acknowledged()).toBeGreaterThanOrEqual(kills / 2)
    expect(await victim.end('SIGTERM')).toBe(0)
    expect(victim.complaints()).toBe('')
  } finally {
    for (const writer of crew) writer.stop()
    await victim.end('SIGKILL')
    await rm(config.home, { recursive: true, force: true })
  }
})
