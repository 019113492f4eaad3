import { expect, test } from 'vitest'
import { openPlatform, send, testClock } from '../../../../testing/index.ts'

const clock = testClock()
const { server, owner, team } = await openPlatform({ clock })

const minute = 60_000

async function add() {
  const body = { name: 'Oven 3', type: 'Pi', team: team.id }
  const { id, credentials } = await owner.client.call('device.create', { body })
  const report = async (load?: object) => {
    const headers = { authorization: `Bearer ${credentials.token}` }
    const body = { project: null, snapshot: null, settings: null, state: 'running', load }
    return (await send(server.address, 'POST', `/api/v1/devices/${id}/live/state`, { headers, body })).status
  }
  const metrics = async (window: '1h' | '6h' | '24h' = '1h') =>
    owner.client.call('deviceMetrics.get', { params: { deviceId: id }, query: { window } })
  return { id, report, metrics }
}
const values = (series: (number | null)[]) => series.filter((value) => value !== null)

test('the load that an agent reports is shown as series: CPU on average, memory and delay at most', async () => {
  const { report, metrics } = await add()
  expect(await metrics()).toMatchObject({ measured: false })
  expect(values((await metrics()).series.cpu)).toEqual([])
  // Two reports in one step of two minutes, and all that follow in one of twenty, the step of a day.
  clock.turn(20 * minute - (clock.now() % (20 * minute)))
  expect(await report({ cpu: 0.1, memoryMb: 80.4, eventLoopDelayMs: 12 })).toBe(409)
  await server.app.services.deviceLoads.write()
  clock.turn(minute)
  await report({ cpu: 0.3, memoryMb: 84, eventLoopDelayMs: 4 })
  const { from, step, series } = await metrics()
  expect([series.cpu.length, step, from % (step * 1_000)]).toEqual([30, 120, 0])
  expect(series.cpu.at(-1)).toBeCloseTo(0.2)
  expect([series.memory.at(-1), series.delay.at(-1)]).toEqual([84, 12])
  await server.app.services.deviceLoads.write()
  // Agents of the installed base measure nothing.
  clock.turn(2 * minute)
  await report()
  await report({ memoryMb: 90 })
  await server.app.services.deviceLoads.write()
  const later = (await metrics()).series
  expect([later.cpu.at(-1), later.memory.at(-1), later.delay.at(-1)]).toEqual([null, 90, null])
  expect(values(later.memory)).toEqual([84, 90])
  expect(values((await metrics('24h')).series.memory)).toEqual([90])
  // The page keeps its charts although the shortest window is empty, until the day is.
  clock.turn(2 * 60 * minute)
  expect(values((await metrics()).series.memory)).toEqual([])
  expect(await metrics()).toMatchObject({ measured: true })
  clock.turn(24 * 60 * minute)
  expect(await metrics()).toMatchObject({ measured: false })
})

test('an hour of a device is one row of bounded size, and a day is kept', async () => {
  const { id, report, metrics } = await add()
  const { database, services } = server.app
  const rows = async () =>
    database.read.selectFrom('device_loads').selectAll().where('device_id', '=', id).orderBy('hour').execute()
  clock.turn(60 * minute - (clock.now() % (60 * minute)))
  for (let n = 0; n < 60; n += 1) {
    // However often it reports.
    await report({ cpu: 0.123_456, memoryMb: 123.456, eventLoopDelayMs: 12.3 })
    await report({ cpu: 0.123_456, memoryMb: 123.456, eventLoopDelayMs: 12.3 })
    await services.deviceLoads.write()
    clock.turn(minute)
  }
  const [hour, ...others] = await rows()
  expect(others).toEqual([])
  expect(hour!.points.split(';').length - 1).toBe(60)
  expect(hour!.points.length).toBeLessThan(1_200)
  expect(values((await metrics()).series.cpu).every((value) => value === 0.123)).toBe(true)
  clock.turn(24 * 60 * minute)
  await services.sweeper.sweep()
  expect((await rows()).length).toBe(1)
  clock.turn(2 * 60 * minute)
  await services.sweeper.sweep()
  expect(await rows()).toEqual([])
})

test('a value that is no load is passed over, and nobody else reads the load of a device', async () => {
  const { id, report, metrics } = await add()
  for (const load of [{ cpu: -1 }, { cpu: 'much' }, 'high', 7]) expect(await report(load as object)).toBe(409)
  expect(values((await metrics()).series.cpu)).toEqual([])
  const stranger = await server.build.user()
  await expect(
    stranger.client.call('deviceMetrics.get', { params: { deviceId: id }, query: { window: '1h' } }),
  ).rejects.toMatchObject({ status: 404 })
})
