import type { Instance } from '@app/contract'
import { availableParallelism } from 'node:os'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  createStubDriver,
  instanceCalls,
  openStream,
  startServer,
  testClock,
  type TestServer,
  type TestTeam,
  type TestUser,
  until,
} from '../../../testing/index.ts'

/** Starts under way at once. */
const width = Math.max(2, availableParallelism())

let server: TestServer
let owner: TestUser
let team: TestTeam
let application: { id: string }
let clock: ReturnType<typeof testClock>
const { act, create, inState, jobs, raw, running, script, visit } = instanceCalls(() => ({
  server,
  owner,
  application,
}))

beforeEach(async () => {
  clock = testClock()
  server = await startServer({ clock })
  ;({ owner, team } = await server.build.platform())
  application = await server.build.application(owner, team)
})
afterEach(async () => {
  script().release()
  await server.close()
})

const started = () => script().calls.flatMap(({ operation, id }) => (operation === 'start' ? [id] : []))
const positionOf = async (id: string) => (await jobs(id))[0]?.queuePosition
/** Resolves once this many starts have reached the driver. */
const settledStarts = async (count: number) =>
  until(
    async () => started().length,
    (now) => now === count,
  )
async function many(count: number): Promise<Instance[]> {
  const all: Instance[] = []
  for (let i = 0; i < count; i++) all.push(await create())
  return all
}

describe('many starts at once', () => {
  test('wait for each other, each with its place, which moves up by push', async () => {
    const stream = await openStream(server.address, { cookie: owner.cookie })
    script().holdStarts()
    const all = await many(width + 5)
    const waiting = all.slice(width)
    await expect.poll(() => Promise.all(waiting.map(({ id }) => positionOf(id)))).toEqual([1, 2, 3, 4, 5])
    await settledStarts(width)
    expect(started().sort()).toEqual(
      all
        .slice(0, width)
        .map(({ id }) => id)
        .sort(),
    )
    const last = waiting.at(-1)!.id
    const told = (at: number) =>
      stream.heard(
        (event) => event.type === 'queue' && event.places.some((one) => one.subject === last && one.place === at),
      )
    await told(5)
    // One start is over: everybody moves up.
    script().crash(all[0]!.id)
    await told(4)
    expect(await positionOf(last)).toBe(4)
    script().release()
    for (const { id } of all.slice(1)) await inState(id, 'running')
    expect(await positionOf(last)).toBeUndefined()
    stream.close()
  })

  test('of one team hold up one start of another team by one at most', async () => {
    const other = await server.build.user()
    const elsewhere = await server.build.application(other, await server.build.team(other))
    script().holdStarts()
    await many(width + 20)
    const one = await server.build.instance(other, elsewhere, 'single')
    const itsJobs = async () => (await other.client.call('instance.jobs', { params: { instanceId: one.id } })).jobs
    expect((await itsJobs())[0]?.queuePosition).toBe(2)
    // A second one goes behind the next of the first team.
    const two = await server.build.instance(other, elsewhere, 'second')
    const { jobs } = await other.client.call('instance.jobs', { params: { instanceId: two.id } })
    expect(jobs[0]?.queuePosition).toBe(4)
    // Other people's places are told to nobody.
    const stream = await openStream(server.address, { cookie: other.cookie })
    script().crash(started()[0]!)
    await stream.heard((event) => event.type === 'queue')
    const subjects = stream.events.flatMap((event) => (event.type === 'queue' ? event.places : []))
    expect(new Set(subjects.map(({ subject }) => subject))).toEqual(new Set([one.id, two.id]))
    stream.close()
  })

  test('hold up neither a stop nor a deletion', async () => {
    const [first, second] = [await running(), await running()]
    script().holdStarts()
    await many(width + 3)
    await act('suspend', first.id)
    await inState(first.id, 'suspended')
    expect((await raw('DELETE', `/${second.id}`)).status).toBe(200)
  })

  test('that wait for longer than their pending state lasts still let nothing else begin', async () => {
    script().holdStarts()
    const all = await many(width + 1)
    const last = all.at(-1)!.id
    clock.turn(11 * 60_000)
    for (const action of ['start', 'stop', 'restart', 'suspend'])
      expect(await raw('POST', `/${last}/actions/${action}`)).toMatchObject({
        status: 409,
        json: { code: 'invalid_state' },
      })
    script().release()
    await inState(last, 'running')
  })

  test('an operation of a running instance whose pending state is over is no reason to say that there is nothing to do', async () => {
    const { id } = await running()
    const { driver } = server
    const { promise, resolve } = Promise.withResolvers<void>()
    const { stop } = driver
    driver.stop = async (it) => promise.then(() => stop(it))
    await act('suspend', id)
    clock.turn(11 * 60_000)
    expect((await raw('POST', `/${id}/actions/start`)).json).toMatchObject({ code: 'invalid_state' })
    driver.stop = stop
    resolve()
    await inState(id, 'suspended')
  })
})

describe('after a restart of the machine', () => {
  async function restart() {
    await server.stop()
    const { config } = server
    server = await startServer({
      clock,
      config,
      driver: () => {
        const driver = createStubDriver()
        driver.script.holdStarts()
        return driver
      },
    })
  }

  test('what was running starts again, what was used last first, and after what people ask for', async () => {
    const all: Instance[] = []
    for (let i = 0; i < width * 3; i++) all.push(await running())
    const off = await running()
    await act('suspend', off.id)
    await inState(off.id, 'suspended')
    // In an order of their own.
    const order = all.toSorted((a, b) => (a.id.slice(-4) < b.id.slice(-4) ? -1 : 1))
    for (const { name } of order) {
      clock.turn(120_000)
      expect((await visit(name)).status).toBe(200)
      await server.app.services.activity.record()
    }
    await restart()
    const latest = order.toReversed().map(({ id }) => id)
    const queue = await server.app.database.read
      .selectFrom('jobs')
      .select('subject')
      .where('background', '=', 1)
      .orderBy('id')
      .execute()
    expect(queue.map(({ subject }) => subject)).toEqual(latest)
    await settledStarts(width)
    expect(started().sort()).toEqual(latest.slice(0, width).sort())

    await act('start', off.id)
    expect(await positionOf(off.id)).toBe(1)
    script().release()
    for (const { id } of [...all, off]) await inState(id, 'running')
  })

  test('use is recorded once a minute for all instances together', async () => {
    const { name, id } = await running()
    const used = async () =>
      (
        await server.app.database.read
          .selectFrom('instances')
          .select('last_used_at')
          .where('id', '=', id)
          .executeTakeFirst()
      )?.last_used_at
    const before = await used()
    clock.turn(60_000)
    await server.app.services.activity.record()
    expect(await used()).toBe(before)
    await visit(name)
    await visit(name)
    expect(await used()).toBe(before)
    await server.app.services.activity.record()
    expect(await used()).toBe(clock.now())
  })
})
