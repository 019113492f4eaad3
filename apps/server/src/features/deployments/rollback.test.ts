import type { Instance } from '@app/contract'
import { roles } from '@app/contract'
import { DriverError } from '@app/drivers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  createStubAlone,
  instanceCalls,
  openWorkshop,
  send,
  startServer,
  type TestServer,
  type TestUser,
  until,
} from '../../../testing/index.ts'
import { openCredentials, sealCredentials } from '../flows/index.ts'

const { server, owner, team, running, raw, log, read, script, settled, inState, act, jobs } = await openWorkshop()

const flow = (word: string) => [
  { id: 'tab', type: 'tab', label: 'Oven' },
  { id: 'say', type: 'function', z: 'tab', func: `return '${word}'` },
]
const bearer = async (instance: Instance) => ({
  headers: { authorization: `Bearer ${await server.build.instanceToken(instance)}` },
})

/** Brings an instance to a known content: flows, a credential, a variable and a secret one, all of this word. */
async function fill(instance: Instance, word: string): Promise<void> {
  const auth = await bearer(instance)
  const sealed = sealCredentials({ say: { word } }, script().spec(instance.id)!.credentialSecret)
  await send(server.address, 'POST', `/storage/${instance.id}/credentials`, { ...auth, body: sealed })
  await send(server.address, 'POST', `/storage/${instance.id}/flows`, { ...auth, body: flow(word) })
  const env = [
    { name: 'WORD', value: word },
    { name: 'SECRET', value: word, encrypted: true },
  ]
  await raw('PUT', `/${instance.id}`, { settings: { env } })
}

/** The words that a running instance finds in its flows, credentials and variables. */
async function held(instance: Instance): Promise<unknown[]> {
  const auth = await bearer(instance)
  const ask = async (path: string) => (await send(server.address, 'GET', path, auth)).json
  const flows = (await ask(`/storage/${instance.id}/flows`)) as unknown as ReturnType<typeof flow>
  const secret = script().spec(instance.id)!.credentialSecret
  const credentials = openCredentials(await ask(`/storage/${instance.id}/credentials`), secret)
  const { env } = (await ask(`/api/v1/projects/${instance.id}/settings`)) as unknown as { env: Record<string, string> }
  return [
    /'(.*)'/.exec(flows[1]?.func ?? '')?.[1],
    (credentials?.say as { word: string } | undefined)?.word,
    env.WORD,
    env.SECRET,
  ]
}
const all = (word: string) => [word, word, word, word]
const params = (instanceId: string) => ({ params: { instanceId } })
const take = async (id: string, name = 'Good') =>
  (await owner.client.call('snapshot.create', { ...params(id), body: { name } })).id
const rollback = async (id: string, snapshot: string) =>
  owner.client.call('deployment.rollback', { ...params(id), body: { snapshot } })
const deployments = async (id: string) =>
  (await owner.client.call('deployment.list', { ...params(id), query: {} })).deployments
const snapshots = async (id: string) =>
  (await owner.client.call('snapshot.list', { ...params(id), query: {} })).snapshots

/** A running instance that holds `now`, with a snapshot of when it held `then`. */
async function changed(): Promise<{ instance: Instance; snapshot: string }> {
  const instance = await running()
  await fill(instance, 'then')
  const snapshot = await take(instance.id)
  await fill(instance, 'now')
  return { instance, snapshot }
}

describe('a rollback', () => {
  test('[API-81] puts flows, credentials, variables and settings back and restarts', async () => {
    const { instance, snapshot } = await changed()
    const before = (await read(instance.id)).meta.lastStartTime
    expect(await rollback(instance.id, snapshot)).toEqual({ status: 'okay' })
    const [job] = await settled(instance.id)
    expect([job?.kind, job?.state]).toEqual(['deployment.rollback', 'done'])
    expect(await held(await inState(instance.id, 'running'))).toEqual(all('then'))
    expect((await read(instance.id)).meta.lastStartTime).not.toBe(before)
    expect((await log(instance.id))[0]).toMatchObject({
      event: 'project.snapshot.rolled-back',
      body: { project: { id: instance.id }, snapshot: { id: snapshot, name: 'Good' } },
    })
  })

  test('is on record: who, what it changed, its steps with their times, and what was there before', async () => {
    const { instance, snapshot } = await changed()
    await rollback(instance.id, snapshot)
    await settled(instance.id)
    const [one] = await deployments(instance.id)
    expect(one).toMatchObject({
      kind: 'rollback',
      state: 'done',
      by: owner.username,
      target: { id: instance.id, name: instance.name },
      snapshot: { id: snapshot, name: 'Good' },
      changes: {
        nodes: { added: 0, changed: 1, moved: 0, removed: 0 },
        modules: [],
        env: ['WORD', 'SECRET'],
        settings: [],
      },
    })
    expect(one?.steps.map(({ state }) => state)).toEqual(['done', 'done', 'done', 'done'])
    expect(one?.steps.every(({ startedAt, endedAt }) => startedAt && endedAt)).toBe(true)
    const [automatic] = await snapshots(instance.id)
    expect(automatic).toMatchObject({
      id: one?.before,
      name: expect.stringContaining('Before rollback to “Good”, ') as string,
      automatic: true,
    })
    expect(automatic).not.toHaveProperty('user')
    await rollback(instance.id, automatic!.id)
    await settled(instance.id)
    expect(await held(await inState(instance.id, 'running'))).toEqual(all('now'))
  })

  test('of what does not run replaces it and starts nothing', async () => {
    const { instance, snapshot } = await changed()
    await act('suspend', instance.id)
    await inState(instance.id, 'suspended')
    const starts = () =>
      script().calls.filter(({ operation, id }) => operation === 'start' && id === instance.id).length
    const before = starts()
    await rollback(instance.id, snapshot)
    expect((await settled(instance.id))[0]?.state).toBe('done')
    expect([(await read(instance.id)).meta.state, starts()]).toEqual(['suspended', before])
    await act('start', instance.id)
    expect(await held(await inState(instance.id, 'running'))).toEqual(all('then'))
  })

  test('of what has crashed brings it up again', async () => {
    const { instance, snapshot } = await changed()
    script().crash(instance.id, 'TypeError: bread is not defined')
    await inState(instance.id, 'crashed')
    await rollback(instance.id, snapshot)
    expect((await settled(instance.id))[0]?.state).toBe('done')
    const now = await inState(instance.id, 'running')
    expect(now.meta.reason).toBeUndefined()
    expect(await held(now)).toEqual(all('then'))
  })

  test('while something else is done is refused, as is the deletion of what it needs', async () => {
    const { instance, snapshot } = await changed()
    script().holdStarts()
    await rollback(instance.id, snapshot)
    const again = await raw('POST', `/${instance.id}/actions/rollback`, { snapshot })
    expect([again.status, again.json.code]).toEqual([409, 'invalid_state'])
    const removal = await raw('DELETE', `/${instance.id}/snapshots/${snapshot}`)
    expect([removal.status, removal.json.code]).toEqual([409, 'invalid_state'])
    script().release()
    await settled(instance.id)
    expect((await deployments(instance.id)).map(({ state }) => state)).toEqual(['done'])
  })

  test('to what is not a snapshot of it is refused', async () => {
    const [{ snapshot }, other] = [await changed(), await running()]
    for (const id of [snapshot, 'none']) {
      const { status, json } = await raw('POST', `/${other.id}/actions/rollback`, { snapshot: id })
      expect([status, json.code]).toEqual([400, 'invalid_snapshot'])
    }
    expect(await deployments(other.id)).toEqual([])
  })

  test('[PERM-53] [SNAP-04] is for members, and not for viewers', async () => {
    const { instance, snapshot } = await changed()
    const as = async (role: 10 | 30) => (await server.build.member(team, role)).client
    const call = { ...params(instance.id), body: { snapshot } }
    await expect((await as(roles.viewer)).call('deployment.rollback', call)).rejects.toMatchObject({ status: 403 })
    expect(await (await as(roles.member)).call('deployment.rollback', call)).toEqual({ status: 'okay' })
    await settled(instance.id)
  })
})

describe('a rollback that fails', () => {
  test('because a module cannot be had says so before anything is touched', async () => {
    const { instance, snapshot } = await changed()
    const before = (await read(instance.id)).meta.lastStartTime
    script().failNext('prepareModules', new DriverError('no_module', 'There is no module red-oven'))
    await rollback(instance.id, snapshot)
    expect((await settled(instance.id))[0]).toMatchObject({ state: 'failed', error: 'There is no module red-oven' })
    expect((await read(instance.id)).meta).toMatchObject({ state: 'running', lastStartTime: before })
    expect(await held(instance)).toEqual(all('now'))
    expect((await deployments(instance.id))[0]).toMatchObject({
      state: 'failed',
      reason: 'There is no module red-oven',
    })
    expect((await snapshots(instance.id)).map(({ name }) => name)).toEqual(['Good'])
  })

  test('because it does not start puts back what was there, and says why with the log', async () => {
    const { instance, snapshot } = await changed()
    script().log(instance.id, 'Error: no oven', 'error')
    script().failNext('start', new DriverError('start_failed', 'Node-RED ended before it answered'))
    await rollback(instance.id, snapshot)
    expect((await settled(instance.id))[0]?.state).toBe('failed')
    expect(await held(await inState(instance.id, 'running'))).toEqual(all('now'))
    const [one] = await deployments(instance.id)
    expect(one).toMatchObject({
      state: 'failed',
      reason: expect.stringMatching(/ended before.*\. The previous version is back\.$/) as string,
    })
    expect(one?.log?.map(({ msg }) => msg)).toContain('Error: no oven')
    // Its former snapshots are there again.
    expect((await snapshots(instance.id)).map(({ name }) => name)).toEqual(['Good'])
    expect((await log(instance.id))[0]).toMatchObject({
      event: 'project.snapshot.rolled-back',
      body: { error: { code: 'rollback_failed' } },
    })
  })
})

describe('with a time in which it must not crash', () => {
  let slow: TestServer
  let person: TestUser
  let place: { id: string }
  beforeAll(async () => {
    slow = await startServer({ config: { steadySeconds: 600 }, driver: createStubAlone })
    const platform = await slow.build.platform()
    person = platform.owner
    place = await slow.build.application(person, platform.team)
  })
  afterAll(async () => slow.close())

  test('a crash after it has answered puts back what was there', async () => {
    const calls = instanceCalls(() => ({ server: slow, owner: person, application: place }))
    const instance = await calls.running()
    const { id } = instance
    const made = await person.client.call('snapshot.create', {
      ...params(id),
      body: { name: 'Bad', flows: flow('bad') },
    })
    await person.client.call('deployment.rollback', { ...params(id), body: { snapshot: made.id } })
    await until(
      async () => calls.jobs(id),
      ([job]) => job?.steps.at(-1)?.state === 'running',
    )
    await until(
      async () => slow.driver.status(id),
      ({ state }) => state === 'running',
    )
    calls.script().crash(id, 'TypeError: bread is not defined')
    expect((await calls.settled(id))[0]).toMatchObject({
      state: 'failed',
      error: expect.stringContaining('TypeError: bread is not defined') as string,
    })
    expect((await calls.inState(id, 'running')).meta.reason).toBeUndefined()
    expect(
      await person.client.call('snapshot.changes', { params: { instanceId: id, snapshotId: made.id }, query: {} }),
    ).toMatchObject({ nodes: [{ change: 'added' }, { change: 'added' }] })
  })
})

describe('killed', () => {
  /** Does the rollback with servers that end at this point, until one does it to the end. */
  async function killedAt(at: 'prepareModules' | 'stop' | 'start', fails: boolean) {
    const first = await startServer({ driver: createStubAlone })
    const driver = first.driver
    const platform = await first.build.platform()
    const calls = instanceCalls(() => ({ server: first, owner: platform.owner, application: app }))
    const app = await first.build.application(platform.owner, platform.team)
    const instance = await calls.running()
    const body = { name: 'Then', flows: flow('then') }
    const { id: snapshot } = await platform.owner.client.call('snapshot.create', { ...params(instance.id), body })
    const reached = Promise.withResolvers<void>()
    // The call never ends, as for a process that is gone.
    const usual = driver[at]
    let reachedOnce = 0
    driver[at] = (async () => {
      reachedOnce += 1
      if (fails && reachedOnce === 1) throw new DriverError('start_failed', 'It broke')
      reached.resolve()
      return new Promise(() => {})
    }) as never
    await platform.owner.client.call('deployment.rollback', { ...params(instance.id), body: { snapshot } })
    await reached.promise
    Object.assign(driver, { [at]: usual })
    const close = driver.close
    driver.close = async () => {}
    await first.stop()
    driver.close = close
    const second = await startServer({ config: first.config, driver: () => driver })
    const later = instanceCalls(() => ({
      server: second,
      owner: platform.owner,
      application: app,
    }))
    const [job] = await later.settled(instance.id)
    const { nodes } = await platform.owner.client.call('snapshot.changes', {
      params: { instanceId: instance.id, snapshotId: snapshot },
      query: {},
    })
    const state = (await later.inState(instance.id, 'running')).meta.state
    const kept = await platform.owner.client.call('snapshot.list', { ...params(instance.id), query: {} })
    await second.close()
    return { job: job?.state, differs: nodes.length, state, snapshots: kept.count }
  }

  test.each(['prepareModules', 'stop', 'start'] as const)('in %s it goes on and ends well', async (at) => {
    expect(await killedAt(at, false)).toEqual({ job: 'done', differs: 0, state: 'running', snapshots: 2 })
  })

  test('while what was there is put back, it is put back', async () => {
    expect(await killedAt('start', true)).toEqual({ job: 'failed', differs: 2, state: 'running', snapshots: 1 })
  })
})

test('a job that was never begun shows no steps', async () => {
  const { instance } = await changed()
  expect(await jobs(instance.id)).not.toEqual([])
  expect(await deployments(instance.id)).toEqual([])
})
