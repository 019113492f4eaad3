import type { Instance } from '@app/contract'
import { DriverError, type Driver } from '@app/drivers'
import { describe, expect, test } from 'vitest'
import {
  createStubAlone,
  instanceCalls,
  openWorkshop,
  send,
  startServer,
  type TestUser,
  until,
} from '../../../testing/index.ts'
import { openCredentials, sealCredentials } from '../flows/index.ts'

const { server, owner, team, application, running, raw, log, read, script, settled, inState, act } =
  await openWorkshop()

const options = { flows: true, credentials: true, nodes: true, template: false, settings: false, envVars: 'keys' }
const flow = (word: string) => [
  { id: 'tab', type: 'tab', label: 'Oven' },
  { id: 'say', type: 'function', z: 'tab', func: `return '${word}'` },
]
const as = async (instance: Instance) => ({
  headers: { authorization: `Bearer ${await server.build.instanceToken(instance)}` },
})
const secretOf = (instance: Instance) => script().spec(instance.id)!.credentialSecret

/** Brings an instance to a known content of this word. */
async function fill(instance: Instance, word: string, settings: object = {}): Promise<Instance> {
  const auth = await as(instance)
  const body = sealCredentials({ say: { word } }, secretOf(instance))
  await send(server.address, 'POST', `/storage/${instance.id}/credentials`, { ...auth, body })
  await send(server.address, 'POST', `/storage/${instance.id}/flows`, { ...auth, body: flow(word) })
  await raw('PUT', `/${instance.id}`, { settings })
  return instance
}

/** The words of its flows and credentials, its modules and its variables, as a running instance is told them. */
async function held(instance: Instance) {
  const auth = await as(instance)
  const ask = async (path: string) => (await send(server.address, 'GET', path, auth)).json
  const flows = (await ask(`/storage/${instance.id}/flows`)) as unknown as ReturnType<typeof flow>
  const credentials = openCredentials(await ask(`/storage/${instance.id}/credentials`), secretOf(instance))
  const { env } = (await ask(`/api/v1/projects/${instance.id}/settings`)) as unknown as { env: Record<string, string> }
  const { settings } = await read(instance.id)
  return {
    flow: /'(.*)'/.exec(flows[1]?.func ?? '')?.[1],
    credential: (credentials?.say as { word: string } | undefined)?.word,
    env: Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('FF_'))),
    modules: settings.palette?.modules ?? [],
    theme: settings.theme,
  }
}

const push = async (source: { id: string }, target: { id: string }, more: object = {}) =>
  raw('PUT', `/${target.id}`, { sourceProject: { id: source.id, options, ...more } })
const deployments = async ({ id }: Instance) =>
  (await owner.client.call('deployment.list', { params: { instanceId: id }, query: {} })).deployments
const snapshots = async ({ id }: Instance) =>
  (await owner.client.call('snapshot.list', { params: { instanceId: id }, query: {} })).snapshots
const dash = { name: '@flowfuse/node-red-dashboard', version: '1.2.3', local: false }

/** An instance that holds `dev`. */
async function makeSource(): Promise<Instance> {
  return fill(await running(), 'dev', {
    env: [
      { name: 'SITE', value: 'of dev' },
      { name: 'KEY', value: 'secret of dev', encrypted: true },
      { name: 'SHARED', value: 'of dev' },
    ],
    palette: { modules: [dash] },
    theme: 'forge-dark',
  })
}
let shared: Promise<Instance> | undefined

/** Shared instance, or an own one for tests that change it, and another that holds `prod`. */
async function pair(own?: 'own source') {
  const source = own ? makeSource() : (shared ??= makeSource())
  const env = [{ name: 'SHARED', value: 'of prod' }]
  return { source: await source, target: await fill(await running(), 'prod', { env }) }
}
const pushed = {
  flow: 'dev',
  credential: 'dev',
  env: { SHARED: 'of prod', SITE: '', KEY: '' },
  modules: [dash],
  theme: 'forge-light',
}
const untouched = { flow: 'prod', credential: 'prod', env: { SHARED: 'of prod' }, modules: [], theme: 'forge-light' }

describe('a push', () => {
  test('[API-106] [INST-80] [PIPE-18] brings flows, credentials, modules and names of variables, and nothing else', async () => {
    const { source, target } = await pair()
    const before = (await read(target.id)).meta.lastStartTime
    const answer = await push(source, target)
    expect([answer.status, answer.json]).toEqual([200, {}])
    expect((await settled(target.id))[0]).toMatchObject({ kind: 'deployment.push', state: 'done' })
    expect(await held(await inState(target.id, 'running'))).toEqual(pushed)
    expect((await read(target.id)).meta.lastStartTime).not.toBe(before)
    expect((await held(source)).env).toMatchObject({ SITE: 'of dev', KEY: 'secret of dev' })
    expect((await log(target.id))[0]).toMatchObject({
      event: 'project.imported',
      body: { project: { id: target.id }, sourceProject: { id: source.id, name: source.name } },
    })
    expect((await log(source.id))[0]).toMatchObject({
      event: 'project.copied',
      body: { project: { id: source.id }, targetProject: { id: target.id } },
    })
  })

  test('is on record, with a snapshot of what was there before, which can be gone back to', async () => {
    const { source, target } = await pair()
    await push(source, target)
    await settled(target.id)
    const [one] = await deployments(target)
    expect(one).toMatchObject({
      kind: 'push',
      state: 'done',
      by: owner.username,
      source: { id: source.id, name: source.name },
      target: { id: target.id },
      changes: {
        nodes: { added: 0, changed: 1, moved: 0, removed: 0 },
        modules: [dash.name],
        env: ['SITE', 'KEY'],
        settings: [],
      },
    })
    expect(one?.steps.map(({ state }) => state)).toEqual(['done', 'done', 'done', 'done'])
    const kept = await snapshots(target)
    const before = `Before push from “${source.name}”`
    const name = new RegExp(`^${before}, \\d{1,2} [A-Z][a-z]{2,3}, \\d{2}:\\d{2} UTC, was running well$`)
    expect(kept).toMatchObject([{ id: one?.before, name: expect.stringMatching(name) as string }])
    const body = { snapshot: kept[0]!.id }
    await owner.client.call('deployment.rollback', { params: { instanceId: target.id }, body })
    await settled(target.id)
    expect(await held(await inState(target.id, 'running'))).toEqual(untouched)
  })

  test('[API-106] [PIPE-14] shows the target as deploying at once, and until it has ended', async () => {
    const { source, target } = await pair()
    script().holdStarts()
    await push(source, target)
    expect((await read(target.id)).meta).toMatchObject({ state: 'importing', isDeploying: true })
    await until(
      async () => deployments(target),
      ([one]) => one?.steps.at(-1)?.state === 'running',
    )
    expect((await read(target.id)).meta).toMatchObject({ state: 'importing', isDeploying: true })
    script().release()
    await settled(target.id)
    expect((await inState(target.id, 'running')).meta.isDeploying).toBe(false)
  })

  test('with nothing new to bring leaves credentials and variables as they are', async () => {
    const { source, target } = await pair()
    await push(source, target)
    await settled(target.id)
    await push(source, target)
    await settled(target.id)
    expect((await deployments(target))[0]?.changes).toEqual({
      nodes: { added: 0, changed: 0, moved: 0, removed: 0 },
      modules: [],
      env: [],
      settings: [],
    })
    expect(await held(await inState(target.id, 'running'))).toEqual(pushed)
  })

  test('copies no template and no settings, and nothing else beside it', async () => {
    const { source, target } = await pair()
    const wrong = [{ template: true }, { settings: true }].map((more) => ({ options: { ...options, ...more } }))
    for (const more of wrong) expect((await push(source, target, more)).status).toBe(400)
    const sourceProject = { id: source.id, options }
    expect((await raw('PUT', `/${target.id}`, { sourceProject, settings: {} })).status).toBe(400)
    expect(await deployments(target)).toEqual([])
  })
})

describe('what is asked for at a bad time', () => {
  test('a second push while one is under way is refused, and the first goes on', async () => {
    const { source, target } = await pair()
    script().holdStarts()
    const answers = await Promise.all([push(source, target), push(source, target)])
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
    expect(answers.find(({ status }) => status === 409)?.json.code).toBe('invalid_state')
    script().release()
    await settled(target.id)
    expect((await deployments(target)).map(({ state }) => state)).toEqual(['done'])
  })

  test('one instance is pushed to two others at once', async () => {
    const [{ source, target }, other] = [await pair(), await running()]
    await Promise.all([push(source, target), push(source, other)])
    for (const one of [target, other]) {
      await settled(one.id)
      expect((await held(await inState(one.id, 'running'))).flow).toBe('dev')
    }
  })

  test('a suspended target gets it, and is not started', async () => {
    const { source, target } = await pair()
    await act('suspend', target.id)
    await inState(target.id, 'suspended')
    await push(source, target)
    expect((await settled(target.id))[0]?.state).toBe('done')
    expect((await read(target.id)).meta).toMatchObject({ state: 'suspended', isDeploying: false })
    await act('start', target.id)
    expect(await held(await inState(target.id, 'running'))).toEqual(pushed)
  })

  test('a crashed target is started on what is pushed', async () => {
    const { source, target } = await pair()
    script().crash(target.id, 'TypeError: bread is not defined')
    await inState(target.id, 'crashed')
    await push(source, target)
    expect((await settled(target.id))[0]?.state).toBe('done')
    const now = await inState(target.id, 'running')
    expect([now.meta.reason, (await held(now)).flow]).toEqual([undefined, 'dev'])
  })

  test('a target of another Node-RED keeps its own, and the preview says so', async () => {
    const { source, target } = await pair()
    const { stacks } = await owner.client.call('stack.list', { query: {} })
    const older = stacks.find(({ properties }) => properties.nodered === '4.1.15')!
    await raw('PUT', `/${target.id}`, { stack: older.id })
    await settled(target.id)
    expect((await preview(source, target)).notes).toEqual([
      expect.stringMatching(/runs Node-RED 5\.0\.7, .* 4\.1\.15 and stays with it/),
    ])
    await push(source, target)
    await settled(target.id)
    const now = await inState(target.id, 'running')
    expect([now.stack.id, (await held(now)).flow]).toEqual([older.id, 'dev'])
  })

  test('a target, or a source, that was deployed to since it was looked at is not replaced', async () => {
    const { source, target } = await pair('own source')
    const { seen, difference } = await preview(source, target)
    expect(difference.nodes.map(({ id, change }) => [id, change])).toEqual([['say', 'changed']])
    expect(JSON.stringify(difference)).not.toMatch(/of dev|of prod/)
    await fill(target, 'newer')
    const refused = await push(source, target, { seen })
    expect([refused.status, refused.json.code]).toEqual([409, 'outdated'])
    const again = (await preview(source, target)).seen
    await fill(source, 'newer dev')
    expect((await push(source, target, { seen: again })).json.code).toBe('outdated')
    expect((await held(target)).flow).toBe('newer')
    expect(await deployments(target)).toEqual([])
    expect((await push(source, target, { seen: (await preview(source, target)).seen })).status).toBe(200)
    await settled(target.id)
    expect((await held(await inState(target.id, 'running'))).flow).toBe('newer dev')
  })

  test('flows and settings that change after the push was accepted are kept in the snapshot of before', async () => {
    const { source, target } = await pair()
    const latch = Promise.withResolvers<void>()
    const { prepareModules } = server.driver
    server.driver.prepareModules = async (...given) => {
      if (given[0].id === target.id) await latch.promise
      return prepareModules(...given)
    }
    await push(source, target)
    await send(server.address, 'POST', `/storage/${target.id}/flows`, { ...(await as(target)), body: flow('late') })
    await raw('PUT', `/${target.id}`, { settings: { env: [{ name: 'SITE', value: 'late' }] } })
    latch.resolve()
    await settled(target.id)
    Object.assign(server.driver, { prepareModules })
    expect(await held(await inState(target.id, 'running'))).toMatchObject({
      flow: 'dev',
      env: { SITE: 'late', KEY: '' },
    })
    const [kept] = await snapshots(target)
    const params = { instanceId: target.id, snapshotId: kept!.id }
    expect(JSON.stringify(await owner.client.call('snapshot.flows', { params }))).toContain('late')
  })

  test('a source that is deleted while it is pushed has been copied by then', async () => {
    const { source, target } = await pair('own source')
    script().holdStarts()
    await push(source, target)
    await owner.client.call('instance.delete', { params: { instanceId: source.id } })
    script().release()
    expect((await settled(target.id))[0]?.state).toBe('done')
    expect(await held(await inState(target.id, 'running'))).toEqual(pushed)
    expect((await deployments(target))[0]?.source?.name).toBe(source.name)
  })

  test('a target that is deleted while it waits for its turn is refused like any operation under way', async () => {
    const { source, target } = await pair()
    script().holdStarts()
    await push(source, target)
    expect((await raw('DELETE', `/${target.id}`)).json.code).toBe('invalid_state')
    script().release()
    await settled(target.id)
  })
})

async function preview(source: Instance, target: Instance) {
  const { id: pipelineId } = await owner.client.call('pipeline.create', {
    params: { applicationId: application.id },
    body: { name: 'Preview' },
  })
  const add = async (name: string, { id: instanceId }: Instance) =>
    owner.client.call('pipeline.addStage', { params: { pipelineId }, body: { name, instanceId } })
  const { id: stageId } = await add('Dev', source)
  await add('Next', target)
  return owner.client.call('pipeline.changes', { params: { pipelineId, stageId } })
}

describe('who may push', () => {
  test('[API-106] owners of the team, and nothing of another team', async () => {
    const { source, target } = await pair()
    const member = await server.build.member(team, 30)
    const by = async (user: TestUser, from: { id: string }, to: { id: string }) => {
      const body = { sourceProject: { id: from.id, options } }
      const answer = await send(server.address, 'PUT', `/api/v1/projects/${to.id}`, {
        headers: { cookie: user.cookie },
        body,
      })
      return [answer.status, answer.json.code]
    }
    expect(await by(member, source, target)).toEqual([403, 'unauthorized'])
    expect(await by(owner, { id: 'none' }, target)).toEqual([404, 'not_found'])
    expect(await by(owner, target, target)).toEqual([400, 'invalid_source_project'])
    const stranger = await server.build.user()
    const theirs = await server.build.team(stranger)
    const foreign = await server.build.instance(stranger, await server.build.application(stranger, theirs))
    expect(await by(owner, foreign, target)).toEqual([404, 'not_found'])
    const mine = await server.build.instance(
      owner,
      await server.build.application(owner, await server.build.team(owner)),
    )
    expect(await by(owner, mine, target)).toEqual([403, 'invalid_source_project'])
    expect(await deployments(target)).toEqual([])
  })
})

describe('a push that fails', () => {
  test('because a module cannot be had says so before anything is touched', async () => {
    const { source, target } = await pair()
    const before = (await read(target.id)).meta.lastStartTime
    script().failNext('prepareModules', new DriverError('no_module', 'There is no module red-oven'))
    await push(source, target)
    expect((await settled(target.id))[0]).toMatchObject({ state: 'failed', error: 'There is no module red-oven' })
    expect((await read(target.id)).meta).toMatchObject({ state: 'running', isDeploying: false, lastStartTime: before })
    expect(await held(target)).toEqual(untouched)
    expect(await snapshots(target)).toEqual([])
    expect((await deployments(target))[0]).toMatchObject({ state: 'failed', reason: 'There is no module red-oven' })
  })

  test('because it does not start puts back what was there, and says why with the log', async () => {
    const { source, target } = await pair()
    script().log(target.id, 'Error: no oven', 'error')
    script().failNext('start', new DriverError('start_failed', 'Node-RED ended before it answered'))
    await push(source, target)
    expect((await settled(target.id))[0]?.state).toBe('failed')
    expect(await held(await inState(target.id, 'running'))).toEqual(untouched)
    const [one] = await deployments(target)
    expect(one).toMatchObject({
      state: 'failed',
      reason: expect.stringMatching(/ended before.*\. The previous version is back\.$/) as string,
    })
    expect(one?.log?.map(({ msg }) => msg)).toContain('Error: no oven')
    expect(await snapshots(target)).toEqual([])
    const entry = { body: { error: { code: 'push_failed' } } }
    expect((await log(target.id))[0]).toMatchObject({ event: 'project.imported', ...entry })
    expect((await log(source.id))[0]).toMatchObject({ event: 'project.copied', ...entry })
  })
})

test.each(['prepareModules', 'start'] as const)('killed in %s it goes on and ends well', async (at) => {
  const first = await startServer({ driver: createStubAlone })
  const { driver } = first
  const platform = await first.build.platform()
  const home = await first.build.application(platform.owner, platform.team)
  const calls = instanceCalls(() => ({ server: first, owner: platform.owner, application: home }))
  const [source, target] = [await calls.running(), await calls.running()]
  const made = await first.build.instanceToken(source)
  const headers = { authorization: `Bearer ${made}` }
  await send(first.address, 'POST', `/storage/${source.id}/flows`, { headers, body: flow('dev') })
  const reached = Promise.withResolvers<void>()
  // The call never ends, as for a process that is gone.
  const usual = driver[at]
  driver[at] = (async () => {
    reached.resolve()
    return new Promise(() => {})
  }) as never
  await calls.raw('PUT', `/${target.id}`, { sourceProject: { id: source.id, options } })
  await reached.promise
  Object.assign(driver, { [at]: usual })
  const { close } = driver
  driver.close = async () => {}
  await first.stop()
  driver.close = close
  const second = await startServer({ config: first.config, driver: () => driver as Driver })
  const later = instanceCalls(() => ({ server: second, owner: platform.owner, application: home }))
  expect((await later.settled(target.id))[0]).toMatchObject({ kind: 'deployment.push', state: 'done' })
  await later.inState(target.id, 'running')
  const { versions } = await platform.owner.client.call('version.list', { params: { instanceId: target.id } })
  expect(versions[0]).toMatchObject({ kind: 'push', current: true, nodes: 2 })
  await second.close()
})
