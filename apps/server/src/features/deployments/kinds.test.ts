import type { Deployment, Instance } from '@app/contract'
import { roles } from '@app/contract'
import { DriverError } from '@app/drivers'
import { describe, expect, test } from 'vitest'
import { createStubAlone, openWorkshop, send, testClock, until } from '../../../testing/index.ts'

const clock = testClock()
const { server, owner, team, running, raw, log, read, script, settled, inState, act } = await openWorkshop({
  clock,
  driver: createStubAlone,
})

const flow = (word: string, more: object[] = []) => [
  { id: 'tab', type: 'tab', label: 'Oven' },
  { id: 'say', type: 'function', z: 'tab', name: 'say', func: `return '${word}'`, x: 100, y: 80, wires: [] },
  ...more,
]
const params = (instanceId: string) => ({ params: { instanceId } })
const deployments = async (id: string): Promise<Deployment[]> =>
  (await owner.client.call('deployment.list', { ...params(id), query: {} })).deployments
/** The flows that the instance finds when it asks for them. */
async function held(instance: Instance): Promise<unknown> {
  const headers = { authorization: `Bearer ${await server.build.instanceToken(instance)}` }
  return (await send(server.address, 'GET', `/storage/${instance.id}/flows`, { headers })).json
}
const bring = async (id: string, flows: object[]) => raw('POST', `/${id}/import`, { flows: JSON.stringify(flows) })

/** An instance that holds these flows, which came by an import. */
async function holding(word: string): Promise<Instance> {
  const instance = await running()
  expect((await bring(instance.id, flow(word))).json).toEqual({ status: 'okay' })
  await settled(instance.id)
  return inState(instance.id, 'running')
}
async function otherStack(instance: Instance) {
  const { stacks } = await owner.client.call('stack.list', { query: { filter: 'active' } })
  return stacks.find(({ id }) => id !== instance.stack.id)!
}
const count = async () => {
  const rows = await server.app.database.read.selectFrom('blobs').select('refs').execute()
  return rows.reduce((sum, { refs }) => sum + refs, 0)
}
const broken = new DriverError('start_failed', 'Node-RED ended before it answered')

describe('each kind is on record, with who, what and its steps, at an address of its own', () => {
  test('[API-89] an import', async () => {
    const instance = await holding('new')
    const [one] = await deployments(instance.id)
    expect(one).toMatchObject({
      kind: 'import',
      state: 'done',
      by: (await owner.client.call('account.get', {})).name,
      what: '',
      target: { id: instance.id, name: instance.name },
      changes: { nodes: { added: 2, changed: 0, moved: 0, removed: 0 }, modules: [], env: [], settings: [] },
    })
    expect(one!.steps.map(({ name, state }) => [name, state])).toEqual([
      ['Download Node-RED and modules', 'done'],
      ['Stop Node-RED or keep it serving', 'done'],
      ['Replace flows and settings', 'done'],
      ['Start and health-check', 'done'],
    ])
    expect(one!.steps.every(({ startedAt, endedAt }) => startedAt !== undefined && endedAt !== undefined)).toBe(true)
    const path = { params: { instanceId: instance.id, deploymentId: one!.id } }
    expect(await owner.client.call('deployment.get', path)).toEqual(one)
    const other = { params: { instanceId: (await running()).id, deploymentId: one!.id } }
    await expect(owner.client.call('deployment.get', other)).rejects.toMatchObject({ status: 404 })
    expect(await held(instance)).toEqual(flow('new'))
  })

  test('a restore, and a change of stack', async () => {
    const instance = await holding('first')
    await bring(instance.id, flow('second'))
    await settled(instance.id)
    const { versions } = await owner.client.call('version.list', params(instance.id))
    await raw('POST', `/${instance.id}/versions/${versions[1]!.id}/restore`)
    await settled(instance.id)
    expect(await held(instance)).toEqual(flow('first'))
    const stack = await otherStack(instance)
    expect((await raw('PUT', `/${instance.id}`, { stack: stack.id })).json).toEqual({})
    await settled(instance.id)
    const old = instance.stack.label || instance.stack.name
    expect((await deployments(instance.id)).slice(0, 2)).toMatchObject([
      { kind: 'stack', what: stack.label, state: 'done', changes: { stack: { old, new: stack.label } } },
      { kind: 'restore', what: versions[1]!.createdAt, state: 'done', changes: { nodes: { changed: 1 } } },
    ])
    expect((await inState(instance.id, 'running')).stack.id).toBe(stack.id)
    // The contents that were replaced are kept.
    const { snapshots } = await owner.client.call('snapshot.list', { ...params(instance.id), query: {} })
    const time = String.raw`\d{1,2} [A-Z][a-z]{2,3}, \d{2}:\d{2} UTC`
    expect(snapshots.map(({ name }) => name)).toEqual(
      [`Before change to “${stack.name}”`, `Before restore of ${time}`, 'Before import', 'Before import'].map(
        (begin) => expect.stringMatching(new RegExp(`^${begin}, ${time}, was running well$`)) as string,
      ),
    )
  })
})

describe('what does not come up', () => {
  test('an import gives way to what was there, and nothing is left of it but its record', async () => {
    const instance = await holding('good')
    const before = await count()
    script().failNext('start', broken)
    await bring(instance.id, flow('bad'))
    await settled(instance.id)
    await inState(instance.id, 'running')
    expect(await held(instance)).toEqual(flow('good'))
    expect((await deployments(instance.id))[0]).toMatchObject({
      state: 'failed',
      reason: expect.stringMatching(/ended before.*\. The previous version is back\.$/) as string,
    })
    expect((await log(instance.id))[0]).toMatchObject({
      event: 'project.flow-imported',
      body: { error: { code: 'import_failed' } },
    })
    // The versions of the import and of the way back.
    expect((await count()) - before).toBe(2)
  })

  test('another stack gives way to the one before', async () => {
    const instance = await holding('good')
    const stack = await otherStack(instance)
    script().failNext('start', broken)
    await raw('PUT', `/${instance.id}`, { stack: stack.id })
    await settled(instance.id)
    expect((await inState(instance.id, 'running')).stack.id).toBe(instance.stack.id)
    expect(script().spec(instance.id)?.stack.nodered).toBe(instance.stack.properties.nodered)
    expect((await deployments(instance.id))[0]).toMatchObject({ kind: 'stack', state: 'failed' })
  })

  test('a stack that cannot be fetched stops nothing', async () => {
    const instance = await holding('good')
    const { lastStartTime } = (await read(instance.id)).meta
    const stack = await otherStack(instance)
    script().failNext('prepareModules', new DriverError('module_missing', 'There is no module red-oven'))
    await raw('PUT', `/${instance.id}`, { stack: stack.id })
    await settled(instance.id)
    expect((await read(instance.id)).meta).toMatchObject({ state: 'running', lastStartTime })
    expect((await deployments(instance.id))[0]).toMatchObject({
      state: 'failed',
      reason: 'There is no module red-oven',
    })
  })

  test('a suspended instance takes it without being started', async () => {
    const instance = await holding('good')
    await act('suspend', instance.id)
    await inState(instance.id, 'suspended')
    await bring(instance.id, flow('later'))
    await settled(instance.id)
    expect((await read(instance.id)).meta.state).toBe('suspended')
    await act('start', instance.id)
    expect(await held(await inState(instance.id, 'running'))).toEqual(flow('later'))
  })
})

describe('a check of its own', () => {
  const healthCheck = { path: '/well?deep=1', status: 204, seconds: 5 }
  const set = async (id: string, check: object | null) => raw('PUT', `/${id}`, { healthCheck: check })

  test('is kept, shown and on record; a path alone can be asked', async () => {
    const { id } = await running()
    expect((await read(id)).healthCheck).toBeNull()
    expect((await set(id, { path: '/well' })).json.healthCheck).toEqual({ path: '/well', status: 200, seconds: 30 })
    expect((await log(id))[0]).toMatchObject({
      event: 'project.settings.updated',
      body: { updates: [{ key: 'healthCheck' }] },
    })
    for (const path of ['', 'well', '//elsewhere.example', '/\\elsewhere', 'http://elsewhere', '/a b', '/a\r\nhost: x'])
      expect([path, (await set(id, { path })).status]).toEqual([path, 400])
    for (const more of [{ status: 99 }, { status: 600 }, { seconds: 0 }, { seconds: 301 }])
      expect((await set(id, { path: '/', ...more })).status).toBe(400)
    const member = (await server.build.member(team, roles.member)).client
    const call = { ...params(id), body: { healthCheck: null } }
    await expect(member.call('instance.update', call)).rejects.toMatchObject({ status: 403 })
    expect((await set(id, null)).json.healthCheck).toBeNull()
  })

  test('lets pass what answers as it has to, asked under the name of the instance', async () => {
    const instance = await holding('good')
    await set(instance.id, healthCheck)
    script().holdStarts()
    await bring(instance.id, flow('better'))
    await until(
      async () => (await server.driver.status(instance.id)).state,
      (state) => state === 'starting',
    )
    const asked: unknown[] = []
    script().onRequest(instance.id, ({ url, headers }, answer) => {
      asked.push([url, headers.host])
      // Not at once, as what is only just starting.
      answer.writeHead(asked.length < 3 ? 503 : 204).end()
    })
    script().release()
    expect((await settled(instance.id))[0]?.state).toBe('done')
    expect(asked.slice(0, 3)).toEqual(Array(3).fill(['/well?deep=1', new URL(instance.url).host]))
  })

  test('that fails puts back what was there, with the reason and the last lines', async () => {
    const instance = await holding('good')
    await set(instance.id, healthCheck)
    await bring(instance.id, flow('bad'))
    await until(
      async () => (await settledStep(instance.id))?.state,
      (state) => state === 'running',
    )
    script().log(instance.id, 'Error: no oven', 'error')
    clock.turn(6_000)
    expect((await settled(instance.id))[0]?.error).toMatch(/had to answer with 204 within 5 s; the last answer was 200/)
    await inState(instance.id, 'running')
    expect(await held(instance)).toEqual(flow('good'))
    const [one] = await deployments(instance.id)
    expect(one?.log?.map(({ msg }) => msg)).toContain('Error: no oven')
  })

  /** The step that starts and judges. */
  async function settledStep(id: string) {
    const [one] = await deployments(id)
    return (await server.driver.status(id)).state === 'running' ? one?.steps.at(-1) : undefined
  }
})

describe('before it happens', () => {
  const preview = async (id: string, body: object) => raw('POST', `/${id}/deployments/preview`, body)
  const check = async (id: string, body: { snapshot: string } | { stack: string }) =>
    owner.client.call('deployment.check', { ...params(id), body })

  test('files are compared and drawn, without what their nodes do, and nothing changes', async () => {
    const instance = await holding('now')
    const elsewhere = { id: 'other', type: 'tab', label: 'Untouched' }
    const next = flow('then', [elsewhere, { id: 'new', type: 'debug', z: 'tab', x: 300, y: 80, wires: [] }])
    const { status, json } = await preview(instance.id, { files: { flows: JSON.stringify(next) } })
    expect(status).toBe(200)
    const { changes, drawing } = json as unknown as { changes: { nodes: object[] }; drawing: { id: string }[] }
    expect(changes.nodes).toMatchObject([
      { id: 'say', change: 'changed', properties: [{ key: 'func', old: "return 'now'", new: "return 'then'" }] },
      { id: 'other', change: 'added' },
      { id: 'new', change: 'added' },
    ])
    expect(drawing.map(({ id }) => id)).toEqual(['tab', 'say', 'other', 'new'])
    expect(JSON.stringify(drawing)).not.toContain('then')
    expect(await held(instance)).toEqual(flow('now'))
    expect((await preview(instance.id, { files: { flows: '{}' } })).json.fields).toEqual({
      flows: 'Does not look like a flow file',
    })
  })

  test('what would go is drawn as well; snapshots, versions and stacks say what they change', async () => {
    const instance = await holding('then')
    const { id: snapshot } = await owner.client.call('snapshot.create', { ...params(instance.id), body: { name: 'S' } })
    await bring(instance.id, flow('now', [{ id: 'late', type: 'debug', z: 'tab', x: 1, y: 1 }]))
    await settled(instance.id)
    const { versions } = await owner.client.call('version.list', params(instance.id))
    for (const draft of [{ snapshot }, { version: versions[1]!.id }]) {
      const { json } = await preview(instance.id, draft)
      expect(json).toMatchObject({ changes: { nodes: [{ id: 'say' }, { id: 'late', change: 'removed' }] } })
      expect((json.drawing as { id: string }[]).map(({ id }) => id)).toEqual(['tab', 'say', 'late'])
    }
    const stack = await otherStack(instance)
    expect((await preview(instance.id, { stack: stack.id })).json).toMatchObject({
      changes: { nodes: [], stack: { new: stack.label } },
      drawing: [],
    })
    expect((await preview(instance.id, { snapshot: 'none' })).json.code).toBe('invalid_snapshot')
    expect((await preview(instance.id, { stack: 'none' })).json.code).toBe('invalid_stack')
    const member = (await server.build.member(team, roles.member)).client
    const call = { ...params(instance.id) }
    expect(await member.call('deployment.preview', { ...call, body: { snapshot } })).toHaveProperty('changes')
    await expect(
      member.call('deployment.preview', { ...call, body: { files: { flows: '[]' } } }),
    ).rejects.toMatchObject({
      status: 403,
    })
  })

  test('modules that cannot be had are told before anything is replaced', async () => {
    const instance = await holding('now')
    const { id: snapshot } = await owner.client.call('snapshot.create', { ...params(instance.id), body: { name: 'S' } })
    const { lastStartTime } = (await read(instance.id)).meta
    expect(await check(instance.id, { snapshot })).toEqual({ ready: true })
    const problem = 'The npm registry cannot be reached; check the network connection of the server'
    script().failNext('prepareModules', new DriverError('registry_unreachable', problem))
    expect(await check(instance.id, { snapshot })).toEqual({ ready: false, problem })
    const { id, properties } = await otherStack(instance)
    script().haveStacks(instance.stack.properties.nodered)
    expect(await check(instance.id, { stack: id })).toEqual({
      ready: false,
      problem: `Node-RED ${properties.nodered} is not here yet; it is fetched first`,
    })
    script().haveStacks(instance.stack.properties.nodered, properties.nodered)
    expect((await read(instance.id)).meta.lastStartTime).toBe(lastStartTime)
    expect(await deployments(instance.id)).toHaveLength(1)
  })
})
