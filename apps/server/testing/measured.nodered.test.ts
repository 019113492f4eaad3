import { createLocalDriver } from '@app/drivers/local'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Config } from '../src/config.ts'
import { instanceCalls, startServer, testClock, type TestUser, until } from './index.ts'

const root = join(import.meta.dirname, '../../..')
const patience = 60_000
const clock = testClock()
let server: Awaited<ReturnType<typeof open>>
let owner: TestUser
let application: { id: string }

const open = (config: Partial<Config> = {}) =>
  startServer({
    clock,
    config,
    driver: ({ home }) =>
      createLocalDriver({
        home,
        runtimeEntry: join(root, 'apps/instance-runtime/dist/main.js'),
        stacksDir: process.env.FORGE_TEST_STACKS ?? join(root, '.cache/stacks'),
      }),
  })

beforeAll(async () => {
  // Steps of charts begin at whole quarters of a minute.
  clock.turn(15_000 - (clock.now() % 15_000))
  server = await open()
  const { owner: person, team } = await server.build.platform()
  owner = person
  application = await server.build.application(owner, team)
})
afterAll(async () => {
  for (const id of await server.driver.adopt()) await server.driver.remove(id)
  await server.close()
})

const { create, read, visit } = instanceCalls(() => ({ server, owner, application }))

test('what a real Node-RED uses arrives in its charts, and its log outlives its crash and the platform', async () => {
  const { id, name } = await create('measured')
  const inState = (state: string) =>
    until(
      () => read(id),
      ({ meta }) => meta.state === state,
      patience,
    )
  const { lastStartTime } = (await inState('running')).meta
  await until(
    async () => (await owner.client.call('instance.usage', { params: { instanceId: id } })).usage,
    (usage) => usage?.delayMs !== undefined,
    patience,
  )
  const measure = async () => {
    for (let n = 0; n < 25; n += 1) await visit(name, '/')
    clock.turn(15_000)
    await server.app.services.metrics.tick()
  }
  await measure()
  await measure()
  const charts = async () =>
    (await owner.client.call('metrics.instance', { params: { instanceId: id }, query: { window: '15m' } })).series
  const { cpu, memory, delay, requests } = await charts()
  expect(memory.at(-1)).toBeGreaterThan(40)
  expect(memory.at(-1)).toBeLessThan(512)
  // 25 requests in what the clock of this test takes for 15 seconds.
  expect(cpu.at(-1)).toBeGreaterThan(0)
  expect(cpu.at(-1)).toBeLessThan(4)
  expect(delay.at(-1)).toBeGreaterThanOrEqual(0)
  expect(requests.slice(-2)).toEqual([100, 100])

  const lines = async () =>
    (await owner.client.call('instance.logs', { params: { instanceId: id }, query: { limit: 200 } })).log
  const before = await lines()
  const record = await readFile(join(server.config.home, 'instances', id, 'record.json'), 'utf8')
  process.kill((JSON.parse(record) as { pid: number }).pid, 'SIGKILL')
  // It is brought back after the crash.
  await until(
    () => read(id),
    ({ meta }) => meta.state === 'running' && meta.lastStartTime !== lastStartTime,
    patience,
  )
  await server.stop()
  server = await open(server.config)
  const after = await until(lines, (log) => log.length >= before.length, patience)
  expect(after.slice(0, before.length)).toEqual(before)
  expect((await charts()).memory.slice(-2)).toEqual(memory.slice(-2))
})
