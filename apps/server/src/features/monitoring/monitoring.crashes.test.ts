import type { Restart } from '@app/drivers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { instanceCalls, startServer, type TestServer, type TestUser, until } from '../../../testing/index.ts'

let server: TestServer
let owner: TestUser
let application: { id: string }
let ahead = 0
const clock = { now: () => Date.now() + ahead }

beforeAll(async () => {
  server = await startServer({ clock })
  const platform = await server.build.platform()
  owner = platform.owner
  application = await server.build.application(owner, platform.team)
})
afterAll(async () => server.close())

const { act, inState, log, read, running, script, settled } = instanceCalls(() => ({ server, owner, application }))
const after = (ms: number, more: Partial<Restart> = {}): Restart => ({
  crashes: 1,
  at: clock.now() + ms,
  safe: false,
  ...more,
})
const starts = (id: string) => script().calls.filter((call) => call.operation === 'start' && call.id === id).length
/** Resolves when a crash that just happened has been recorded. */
const crashed = (id: string) => inState(id, 'crashed')

test('what crashes is started again by the platform, and the log names both', async () => {
  const { id } = await running()
  script().crash(id, 'The valve is stuck', after(0))
  await until(
    async () => starts(id),
    (count) => count === 2,
  )
  expect((await inState(id, 'running')).meta.reason).toBeUndefined()
  expect(script().spec(id)).toMatchObject({ again: true, safe: false })
  const [started, crash] = await log(id)
  expect(started).toMatchObject({ event: 'project.started', trigger: { type: 'system' } })
  expect(crash).toMatchObject({ event: 'crashed', body: { error: { message: 'The valve is stuck' } } })
})

test('until its time it is shown as crashed, with the time, and the clock decides when that is', async () => {
  const { id } = await running()
  const restart = after(300_000, { crashes: 7 })
  script().crash(id, 'The valve is stuck', restart)
  const { meta } = await crashed(id)
  expect(meta.restart).toEqual({ crashes: 7, at: new Date(restart.at).toISOString(), safe: false })
  ahead += 299_000
  expect(starts(id)).toBe(1)
  ahead += 2_000
  await inState(id, 'running')
  expect(starts(id)).toBe(2)
})

test('after too many crashes it starts without its flows, says so, and a restart by a person gives them back', async () => {
  const { id } = await running()
  script().crash(id, 'The valve is stuck', after(0, { crashes: 5, safe: true }))
  await inState(id, 'safe')
  expect((await log(id)).map(({ event }) => event).slice(0, 2)).toEqual(['safe-mode', 'crashed'])
  await act('restart', id)
  await inState(id, 'running')
  expect(script().spec(id)?.again).toBeUndefined()
  expect(script().spec(id)?.safe).toBeUndefined()
})

test('one that crashes while it is started again is started once more', async () => {
  const { id } = await running()
  script().holdStarts()
  script().crash(id, 'The valve is stuck', after(0))
  await until(
    async () => (await server.driver.status(id)).state,
    (state) => state === 'starting',
  )
  script().crash(id, 'It is still stuck', after(0, { crashes: 2 }))
  script().release()
  await inState(id, 'running')
  expect(starts(id)).toBe(3)
  const failed = (await log(id)).find(({ event }) => event === 'project.start-failed')
  expect(failed).toMatchObject({ trigger: { type: 'system' }, body: { error: { message: 'It is still stuck' } } })
})

test('what a person has stopped or suspended since is left alone', async () => {
  const { id } = await running()
  script().crash(id, 'The valve is stuck', after(60_000))
  await crashed(id)
  await act('suspend', id)
  await inState(id, 'suspended')
  ahead += 61_000
  const other = await running()
  script().crash(other.id, 'The valve is stuck', after(0))
  await inState(other.id, 'running')
  await settled(id)
  expect(starts(id)).toBe(1)
  expect((await read(id)).meta.state).toBe('suspended')
})

test('a platform that starts again keeps to the time that the driver has on record', async () => {
  const { id } = await running()
  const status = { state: 'crashed' as const, reason: 'The valve is stuck', restart: after(60_000) }
  script().crash(id, status.reason, status.restart)
  await crashed(id)
  const { driver } = server
  await server.stop()
  server = await startServer({ config: server.config, clock, driver: () => driver })
  expect((await crashed(id)).meta.restart?.crashes).toBe(1)
  expect(starts(id)).toBe(1)
  ahead += 61_000
  await inState(id, 'running')
  expect(starts(id)).toBe(2)
})
