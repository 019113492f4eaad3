import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  createStubDriver,
  instanceCalls,
  startServer,
  testClock,
  type TestServer,
  type TestUser,
  until,
} from '../../../testing/index.ts'
import { fileBytes } from './metrics.files.ts'

const step = 15_000
let clock: ReturnType<typeof testClock>
let server: TestServer
let owner: TestUser
let application: { id: string; teamId: string }
let cpuMs: number

beforeAll(async () => {
  clock = testClock()
  server = await startServer({ clock })
  const platform = await server.build.platform()
  owner = platform.owner
  application = await server.build.application(owner, platform.team)
})
afterAll(async () => server.close())
beforeEach(() => {
  // To the beginning of the longest step.
  clock.turn(7_200_000 - (clock.now() % 7_200_000))
  cpuMs = 0
})

const { running, script, visit, inState } = instanceCalls(() => ({ server, owner, application }))
const metrics = async (instanceId: string, window: '15m' | '1h' | '24h' | '7d' = '15m') =>
  owner.client.call('metrics.instance', { params: { instanceId }, query: { window } })
/** Says what an instance uses, lets a step pass and has it measured. */
async function pass(id: string, { cpu = 0.1, memory = 100, delay = 5, times = 1 } = {}): Promise<void> {
  for (let n = 0; n < times; n += 1) {
    cpuMs += cpu * step
    script().setUsage(id, { cpuMs, memoryMb: memory, eventLoop: { delayMs: delay, busy: 0.1 } })
    clock.turn(step)
    await server.app.services.metrics.tick()
  }
}
const folder = () => join(server.config.home, 'metrics')

describe('the charts of an instance', () => {
  test('show CPU, memory, delay and requests of each step, and nothing where nothing was measured', async () => {
    const { id, name } = await running()
    await pass(id)
    for (let n = 0; n < 3; n += 1) await visit(name)
    await pass(id, { cpu: 0.5, memory: 140, delay: 80 })
    const { from, step: seconds, series } = await metrics(id)
    expect([from, seconds]).toEqual([clock.now() - 900_000, 15])
    for (const values of Object.values(series)) expect(values.slice(0, 58)).toEqual(Array(58).fill(null))
    expect(series.cpu.slice(-2)).toEqual([null, 0.5])
    expect(series.memory.slice(-2)).toEqual([100, 140])
    expect(series.delay.slice(-2)).toEqual([5, 80])
    expect(series.requests.slice(-2)).toEqual([0, 12])
  })

  test('put steps together over the week: means of CPU, the most of memory and delay, requests a minute', async () => {
    const { id, name } = await running()
    await pass(id, { memory: 100 })
    await pass(id, { cpu: 0.1, times: 20 })
    await visit(name)
    await pass(id, { cpu: 0.3, memory: 300, delay: 900, times: 20 })
    const hour = await metrics(id, '1h')
    expect(hour.series.memory.filter((value) => value !== null)).toHaveLength(41)
    const day = await metrics(id, '24h')
    expect([day.step, day.series.cpu.length]).toEqual([60, 1_440])
    expect(day.series.memory.slice(-11)).toEqual([...Array(5).fill(100), ...Array(6).fill(300)])
    const week = await metrics(id, '7d')
    expect([week.step, week.series.cpu.length]).toEqual([600, 1_008])
    const last = Object.fromEntries(Object.entries(week.series).map(([key, values]) => [key, values.slice(-3)]))
    expect(last).toEqual({
      cpu: [null, 0.197, 0.3],
      memory: [null, 300, 300],
      delay: [null, 900, 900],
      requests: [null, 0.1, 0],
    })
  })

  test('have a gap while it is suspended, and what holds its flows up shows as delay', async () => {
    const { id } = await running()
    await pass(id, { times: 2 })
    await owner.client.call('instance.suspend', { params: { instanceId: id } })
    await inState(id, 'suspended')
    clock.turn(step)
    await server.app.services.metrics.tick()
    await owner.client.call('instance.start', { params: { instanceId: id } })
    await inState(id, 'running')
    script().setUsage(id, { cpuMs, memoryMb: 90, hungSince: clock.now() - 45_000 })
    clock.turn(step)
    await server.app.services.metrics.tick()
    const { series } = await metrics(id)
    expect(series.memory.slice(-4)).toEqual([100, 100, null, 90])
    expect(series.delay.at(-1)).toBe(60_000)
  })
})

test('what is kept of an instance has a fixed size, and is gone with it', async () => {
  const { id } = await running()
  const other = await running()
  script().setUsage(other.id, { cpuMs: 0, memoryMb: 7 })
  await pass(id, { times: 5 })
  const kept = () => readdirSync(folder()).filter((name) => name.startsWith(id) || name.startsWith(other.id))
  expect(kept()).toHaveLength(2)
  expect(fileBytes).toBe(53_760)
  for (const name of readdirSync(folder())) expect(statSync(join(folder(), name)).size).toBeLessThanOrEqual(fileBytes)
  await owner.client.call('instance.delete', { params: { instanceId: id } })
  await owner.client.call('deleted.remove', { params: { teamId: application.teamId, instanceId: id } })
  await until(
    async () => kept(),
    (names) => names.length === 1 && names[0]!.startsWith(other.id),
  )
})

test("a team's instances stand side by side, by page, at the same cost however many they are", async () => {
  const other = await server.build.team(owner)
  const theirs = await server.build.application(owner, other)
  const made: { id: string }[] = []
  for (const name of ['line-a', 'line-b', 'line-c']) {
    made.push(await inState((await server.build.instance(owner, theirs, name)).id, 'running'))
  }
  for (const { id } of made) script().setUsage(id, { cpuMs: 0, memoryMb: 50 })
  await pass(made[0]!.id, { memory: 80, times: 2 })
  const read = async (query: object) => owner.client.call('metrics.team', { params: { teamId: other.id }, query })
  const first = await read({ limit: 2 })
  expect([first.count, first.step, first.instances.map(({ name }) => name)]).toEqual([3, 60, ['line-a', 'line-b']])
  expect(first.instances[0]!.state).toBe('running')
  expect(first.instances.map(({ series }) => series.memory.at(-1))).toEqual([80, 50])
  const second = await read({ limit: 2, cursor: first.meta.next_cursor, window: '7d' })
  expect([second.step, second.instances.map(({ name }) => name)]).toEqual([7_200, ['line-c']])
  expect(second.instances[0]!.series.memory).toHaveLength(84)
})

// The last, since another server takes the place of the one that the others share.
test('charts go on after a restart of the platform with a gap for its absence, and mark starts of Node-RED', async () => {
  const { id } = await running()
  script().setStatus(id, { state: 'running', lastStartTime: clock.now() + 1_000 })
  await pass(id, { times: 6 })
  script().setStatus(id, { state: 'running', lastStartTime: clock.now() + 2_000 })
  cpuMs = 0
  await pass(id, { times: 4 })
  await server.stop()
  clock.turn(10 * step)
  const { config } = server
  server = await startServer({ clock, config, driver: () => createStubDriver() })
  await inState(id, 'running')
  script().setStatus(id, { state: 'running', lastStartTime: clock.now() - 3 * step })
  await pass(id, { times: 4 })
  const { from, series, starts } = await metrics(id)
  const seen = series.memory.map((value) => value !== null)
  expect(seen.slice(-24)).toEqual([...Array(10).fill(true), ...Array(10).fill(false), ...Array(4).fill(true)])
  expect(series.cpu.slice(-18, -14)).toEqual([0.1, 0.1, 0.1, 0.1])
  expect(starts.map((at) => (at - from) / step)).toEqual([36, 42, 56])
  expect((await metrics(id, '7d')).series.memory.filter((value) => value !== null)).toHaveLength(1)
})
