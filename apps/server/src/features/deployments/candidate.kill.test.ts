import type { Driver, Endpoint } from '@app/drivers'
import { get } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { createStubDriver, instanceCalls, startServer } from '../../../testing/index.ts'
import { differs, push } from '../../../testing/candidates.ts'

type StubDriver = ReturnType<typeof createStubDriver>

/** Has the newest process answer its check wrongly; of two, the one that is started next. */
async function refusing(driver: StubDriver, id: string, slot: 0 | 1 | undefined): Promise<void> {
  const wrong = (one: number | undefined) =>
    driver.script.onRequest(one === 1 ? `${id}~1` : id, (_request, answer) => void answer.writeHead(404).end())
  if (slot === undefined) return wrong((await driver.pair!.members(id))[0]?.slot)
  const { start } = driver.pair!
  driver.pair!.start = async (...given) => {
    driver.pair!.start = start
    await start(...given)
    wrong(given[1])
  }
}

/** The status with which a process answers. */
const answerOf = (endpoint: Endpoint) =>
  new Promise<number | undefined>((resolve, reject) => {
    get({ ...endpoint, path: '/well' }, (answer) => resolve(answer.resume().statusCode)).on('error', reject)
  })

type Call = 'startCandidate' | 'takeOver' | 'stop' | 'start'
interface Options {
  way?: 'auto' | 'held'
  refuses?: boolean
}

/**
 * Has other contents put into an instance by a server that ends in a call of its driver, after it was done, and by the
 * next server, which goes on. `slot` names the process that the call is about, for an instance of two. `way`: how the
 * instance is set to take over. `refuses`: what serves by then answers its check wrongly.
 */
async function interrupted(at: Call, slot?: 0 | 1, { way = 'auto', refuses = false }: Options = {}) {
  const first = await startServer({ driver: () => createStubDriver() })
  const { driver } = first
  const platform = await first.build.platform()
  const place = await first.build.application(platform.owner, platform.team)
  const earlier = instanceCalls(() => ({ server: first, owner: platform.owner, application: place }))
  const { id } = await earlier.running()
  if (slot !== undefined) {
    await platform.owner.client.call('ha.enable', { params: { instanceId: id }, body: { replicas: 2 } })
    await earlier.settled(id)
  }
  const healthCheck = { path: '/well', status: 200, seconds: 1 }
  const params = { instanceId: id }
  await platform.owner.client.call('instance.update', { params, body: { healthCheck, takeover: way } })
  const reached = Promise.withResolvers<void>()
  const usual = driver.pair![at] as (...values: unknown[]) => Promise<unknown>
  Object.assign(driver.pair!, {
    [at]: async (...values: unknown[]) => {
      const result = await usual(...values)
      if (slot !== undefined && values[1] !== slot) return result
      reached.resolve()
      // The call never ends, as for a process that is gone.
      return new Promise(() => {})
    },
  })
  const snapshot = await push(platform.owner, id)
  await reached.promise
  const serving = driver.pair!.serving(id).map((one) => one.slot)
  Object.assign(driver.pair!, { [at]: usual })
  const { close } = driver
  driver.close = async () => {}
  await first.stop()
  driver.close = close
  const from = driver.script.calls.length
  if (refuses) await refusing(driver, id, slot)
  const second = await startServer<Driver>({ config: first.config, driver: () => driver })
  onTestFinished(() => second.close())
  const later = instanceCalls(() => ({ server: second, owner: platform.owner, application: place }))
  expect((await later.settled(id))[0]?.state).toBe(refuses ? 'failed' : 'done')
  expect(await differs(platform.owner, id, snapshot)).toBe(refuses ? 1 : 0)
  return { driver, id, serving, from, later }
}

test.each(['startCandidate', 'takeOver', 'stop'] as const)(
  'a server that ends in %s leaves one that serves, and the next one does it to the end',
  async (at) => {
    const { driver, id, serving } = await interrupted(at)
    expect(serving).toHaveLength(1)
    expect(await driver.pair!.members(id)).toMatchObject([{ state: 'running' }])
    expect(await driver.pair!.trial(id)).toEqual({ state: 'stopped' })
  },
)

test.each([
  // The first is down, the first is up and not judged yet, the second is down, the second is up and that is not recorded.
  ['stop', 0, [1]],
  ['start', 0, [0, 1]],
  ['stop', 1, [0]],
  ['start', 1, [0, 1]],
] as const)(
  'a server that ends in the %s of process %i of two leaves one that serves, and the next one gives it to both',
  async (at, slot, left) => {
    const { driver, id, serving, from, later } = await interrupted(at, slot)
    expect(serving).toEqual(left)
    const calls = driver.script.calls.slice(from).filter((call) => call.id.startsWith(id))
    const started = calls.flatMap((call) => (call.operation === 'start' ? call.id : []))
    expect(started.toSorted()).toEqual([id, `${id}~1`])
    const { meta } = await later.read(id)
    expect(meta).toMatchObject({ state: 'running', replicas: [{ state: 'running' }, { state: 'running' }] })
  },
)

test.each([
  ['takeOver', undefined, 'auto'],
  ['takeOver', undefined, 'held'],
  ['start', 0, 'auto'],
  ['stop', 1, 'auto'],
] as const)(
  'a new version that serves after a kill in %s (process %s, %s) and does not pass is ended, and the one before serves',
  async (at, slot, way) => {
    const { driver, id, from, later } = await interrupted(at, slot, { way, refuses: true })
    const { meta } = await later.read(id)
    expect(meta.state).toBe('running')
    const calls = driver.script.calls.slice(from).filter((call) => call.id.startsWith(id))
    const started = calls.flatMap((call) => (call.operation === 'start' ? call.id : []))
    // With two processes, one was started to be refused, and then both with the former flows.
    expect(started).toHaveLength(slot === undefined ? 1 : 3)
    for (const { endpoint } of driver.pair!.serving(id)) expect(await answerOf(endpoint)).toBe(200)
  },
)

test('a new version that serves after a kill is judged alone: none is started beside it', async () => {
  const { driver, id, from } = await interrupted('takeOver', undefined, { way: 'held' })
  const started = driver.script.calls.slice(from).filter((call) => call.id.startsWith(id) && call.operation === 'start')
  expect(started).toEqual([])
})
