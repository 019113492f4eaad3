import { type FlowVersion, type Instance, roles } from '@app/contract'
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  instanceCalls,
  send,
  startServer,
  type TestServer,
  type TestTeam,
  type TestUser,
  until,
} from '../../../testing/index.ts'

let server: TestServer
let owner: TestUser
let team: TestTeam
let application: { id: string }

beforeAll(async () => {
  server = await startServer()
  ;({ owner, team } = await server.build.platform())
  application = await server.build.application(owner, team)
})
afterAll(async () => server.close())

const { create, running, log, inState, raw, script, act, settled } = instanceCalls(() => ({
  server,
  owner,
  application,
}))
const flowsOf = (label: string, more: object[] = []) => [
  { id: 'tab', type: 'tab', label },
  { id: 'debug', type: 'debug', z: 'tab', wires: [] },
  ...more,
]
const revisionOf = (flows: unknown) => createHash('sha256').update(JSON.stringify(flows)).digest('hex')
const blobs = () => server.app.database.read.selectFrom('blobs').select(['hash', 'refs']).execute()

/** An instance with what its process would send. */
async function open(instance: Instance) {
  const headers = { authorization: `Bearer ${await server.build.instanceToken(instance)}` }
  const path = `/storage/${instance.id}`
  const deployPath = `/storage/${instance.id}/deploy`
  const stored = async (kind: string) => (await send(server.address, 'GET', `${path}/${kind}`, { headers })).json
  return {
    stored,
    deploy: (flows: unknown, basis: unknown, more: object = {}) =>
      send(server.address, 'POST', deployPath, { headers, body: { flows, basis: revisionOf(basis), ...more } }),
    save: (kind: string, body: unknown) => send(server.address, 'POST', `${path}/${kind}`, { headers, body }),
  }
}
const versions = async (id: string): Promise<FlowVersion[]> =>
  (await owner.client.call('version.list', { params: { instanceId: id } })).versions
const restore = (id: string, versionId: string, who = owner) =>
  send(server.address, 'POST', `/api/v1/projects/${id}/versions/${versionId}/restore`, {
    headers: { cookie: who.cookie },
  })
const flowsOfVersion = (id: string, versionId: string, who = owner) =>
  send(server.address, 'GET', `/api/v1/projects/${id}/versions/${versionId}/flows`, { headers: { cookie: who.cookie } })

describe('deploys', () => {
  test('are kept with who, when and what changed, the newest first', async () => {
    const instance = await running()
    const { deploy } = await open(instance)
    const first = flowsOf('Oven')
    const second = flowsOf('Oven', [{ id: 'x', type: 'inject', z: 'tab' }])
    const { access: editorToken } = await server.app.database.transact((tx) =>
      server.app.services.tokens.forEditor(tx, owner.id, instance.id, '*'),
    )
    expect((await deploy(first, [], { user: owner.id, editorToken })).json).toEqual({ revision: revisionOf(first) })
    expect((await deploy(second, first, { user: 'somebody-else' })).status).toBe(200)
    const [newest, oldest, ...none] = await versions(instance.id)
    expect(none).toEqual([])
    expect(newest).toMatchObject({
      kind: 'deploy',
      current: true,
      nodes: 3,
      changes: {
        added: 1,
        changed: 0,
        moved: 0,
        removed: 0,
        tabs: [{ tab: 'Oven', added: 1, changed: 0, moved: 0, removed: 0 }],
      },
    })
    expect(newest).not.toHaveProperty('user')
    expect(oldest).toMatchObject({ kind: 'deploy', current: false, nodes: 2, user: { id: owner.id } })
    const file = await flowsOfVersion(instance.id, oldest!.id)
    expect(file.json).toEqual(first)
    expect(file.headers.get('content-disposition')).toMatch(/^attachment; filename="line-\d+-flows-.*\.json"$/)
  })

  test('that change nothing are no versions, and texts are kept once for all instances', async () => {
    const [one, other] = [await running(), await running()]
    const flows = flowsOf('The same everywhere')
    for (const instance of [one, other]) await (await open(instance)).deploy(flows, [])
    const { deploy, save } = await open(one)
    expect((await deploy(flows, flows)).status).toBe(200)
    expect((await save('flows', flows)).status).toBe(200)
    expect(await versions(one.id)).toHaveLength(1)
    expect((await blobs()).filter(({ hash }) => hash === revisionOf(flows))).toEqual([
      { hash: revisionOf(flows), refs: 2 },
    ])
  })

  test('that began from flows which were replaced since are refused and kept apart, with their credentials', async () => {
    const instance = await running()
    const { deploy } = await open(instance)
    const first = flowsOf('First')
    await deploy(first, [], { credentials: { $: 'first' } })
    await raw('POST', `/${instance.id}/import`, { flows: JSON.stringify(flowsOf('Imported')) })
    await inState(instance.id, 'running')
    const again = await open(instance)
    const stale = flowsOf('Stale')
    const refused = await again.deploy(stale, first, { user: owner.id, credentials: { $: 'stale' } })
    expect([refused.status, refused.json.code, refused.json.error]).toEqual([
      409,
      'flows_replaced',
      'The flows of this instance were replaced since the editor loaded them. What you deployed is kept in the History of the instance.',
    ])
    expect([await again.stored('flows'), await again.stored('credentials')]).toEqual([
      flowsOf('Imported'),
      { $: 'first' },
    ])
    expect((await again.deploy(stale, first)).status).toBe(409)
    expect((await versions(instance.id)).map(({ kind, current }) => [kind, current])).toEqual([
      ['refused', false],
      ['import', true],
      ['deploy', false],
    ])
    // Nothing of it is lost: it can be made the flows of the instance.
    await restore(instance.id, (await versions(instance.id))[0]!.id)
    await inState(instance.id, 'running')
    const after = await open(instance)
    expect([await after.stored('flows'), await after.stored('credentials')]).toEqual([stale, { $: 'stale' }])
  })

  test('whose answer was lost may come once more; two at once from the same flows do not overwrite each other', async () => {
    const instance = await running()
    const { deploy, stored } = await open(instance)
    const mine = flowsOf('Mine')
    for (let n = 0; n < 2; n++) expect((await deploy(mine, [], { credentials: { $: 'a' } })).status).toBe(200)
    // The same nodes with other credentials are another deploy.
    expect((await deploy(mine, [], { credentials: { $: 'b' } })).status).toBe(409)
    const both = await Promise.all(['One', 'Two'].map(async (label) => deploy(flowsOf(label), mine)))
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
    const kinds = (await versions(instance.id)).map(({ kind }) => kind)
    expect(kinds.toSorted()).toEqual(['deploy', 'deploy', 'refused', 'refused'])
    expect(await stored('flows')).toEqual(both[0]!.status === 200 ? flowsOf('One') : flowsOf('Two'))
  })

  test('that Node-RED has refused are kept without being stored', async () => {
    const instance = await running()
    const { deploy, stored } = await open(instance)
    await deploy(flowsOf('First'), [])
    expect((await deploy(flowsOf('Late'), flowsOf('First'), { refused: true })).status).toBe(200)
    expect(await stored('flows')).toEqual(flowsOf('First'))
    expect((await versions(instance.id))[0]).toMatchObject({ kind: 'refused', current: false })
  })

  test('of launchers that know no revision are stored and kept as ever, with the credentials they sent before', async () => {
    const instance = await running()
    const { save } = await open(instance)
    await save('credentials', { $: 'old launcher' })
    await save('flows', flowsOf('Old'))
    await save('credentials', { $: 'newer' })
    await save('flows', flowsOf('Old'))
    expect((await versions(instance.id)).map(({ kind }) => kind)).toEqual(['deploy', 'deploy'])
  })

  test('of 20 MB are versions as well, not compared; nothing but the newest 50 stays, and no text without a version', async () => {
    const instance = await running()
    const { deploy } = await open(instance)
    const large = Array.from({ length: 2_000 }, (_, n) => ({ id: `n${n}`, type: 'function', func: 'y'.repeat(10_000) }))
    expect((await deploy(large, [])).status).toBe(200)
    const [version] = await versions(instance.id)
    expect(version).toMatchObject({ nodes: 2_000, current: true })
    expect(version).not.toHaveProperty('changes')
    expect((await flowsOfVersion(instance.id, version!.id)).text.length).toBeGreaterThan(20_000_000)
    expect((await restore(instance.id, version!.id)).status).toBe(200)
    await inState(instance.id, 'running')
    const again = await open(instance)
    const { read } = server.app.database
    const row = await read
      .selectFrom('flow_versions')
      .selectAll()
      .where('id', '=', version!.id)
      .executeTakeFirstOrThrow()
    // As if 49 others had followed.
    const others = Array.from({ length: 49 }, (_, n) => ({ ...row, id: `${row.id}-${100 + n}` }))
    await read.insertInto('flow_versions').values(others).execute()
    await read.updateTable('blobs').set({ refs: 50 }).where('hash', '=', row.flows_hash).execute()
    expect(await versions(instance.id)).toHaveLength(50)
    expect((await again.deploy(flowsOf('One more'), large)).status).toBe(200)
    expect(await versions(instance.id)).toHaveLength(50)
    expect((await versions(instance.id)).map(({ id }) => id)).not.toContain(version!.id)
    expect((await blobs()).find(({ hash }) => hash === row.flows_hash)?.refs).toBe(49)
    await owner.client.call('instance.delete', { params: { instanceId: instance.id } })
    await owner.client.call('deleted.remove', { params: { teamId: team.id, instanceId: instance.id } })
    expect((await blobs()).map(({ hash }) => hash)).not.toContain(row.flows_hash)
  })
})

describe('restoring', () => {
  /** An instance with two deploys; the first had credentials. */
  async function twice() {
    const instance = await running()
    const { deploy } = await open(instance)
    await deploy(flowsOf('One'), [], { credentials: { $: 'one' }, user: owner.id })
    await deploy(flowsOf('Two'), flowsOf('One'), { credentials: { $: 'two' } })
    const [two, one] = await versions(instance.id)
    return { instance, id: instance.id, one: one!, two: two! }
  }

  test('brings back flows and credentials, restarts, is told in the log, and can be undone', async () => {
    const { instance, id, one, two } = await twice()
    const restarts = () => script().calls.filter((call) => call.id.startsWith(id) && call.operation === 'start').length
    const before = restarts()
    expect((await restore(id, one.id)).json).toEqual({ status: 'okay' })
    await settled(id)
    expect(restarts()).toBe(before + 1)
    const { stored } = await open(instance)
    expect([await stored('flows'), await stored('credentials')]).toEqual([flowsOf('One'), { $: 'one' }])
    expect((await log(id)).find(({ event }) => event === 'project.flow-restored')).toMatchObject({
      username: owner.username,
      body: { project: { id }, info: { version: one.id, from: one.createdAt } },
    })
    expect((await versions(id))[0]).toMatchObject({
      kind: 'restore',
      current: true,
      user: { id: owner.id },
      from: { id: one.id, createdAt: one.createdAt },
      changes: { added: 0, changed: 1, moved: 0, removed: 0 },
    })
    await restore(id, two.id)
    await settled(id)
    const after = await open(instance)
    expect([await after.stored('flows'), await after.stored('credentials')]).toEqual([flowsOf('Two'), { $: 'two' }])
  })

  test('a suspended instance stays suspended and has the flows when it starts', async () => {
    const { instance, id, one } = await twice()
    await act('suspend', id)
    await inState(id, 'suspended')
    expect((await restore(id, one.id)).status).toBe(200)
    await settled(id)
    await inState(id, 'suspended')
    await act('start', id)
    await inState(id, 'running')
    expect(await (await open(instance)).stored('flows')).toEqual(flowsOf('One'))
  })

  test('is refused while something else is done to the instance, and changes nothing', async () => {
    const { instance, id, one } = await twice()
    script().holdStarts()
    await act('restart', id)
    const refused = await restore(id, one.id)
    expect([refused.status, refused.json.code]).toEqual([409, 'invalid_state'])
    script().release()
    await inState(id, 'running')
    expect(await (await open(instance)).stored('flows')).toEqual(flowsOf('Two'))
    expect((await versions(id))[0]).toMatchObject({ kind: 'deploy' })
  })

  test('ten restores at once end in one version', async () => {
    const { id, one } = await twice()
    const answers = await Promise.all(Array.from({ length: 10 }, () => restore(id, one.id)))
    const statuses = answers.map(({ status }) => status)
    expect(statuses).toContain(200)
    expect(statuses.every((status) => status === 200 || status === 409)).toBe(true)
    await settled(id)
    expect((await versions(id)).filter(({ kind }) => kind === 'restore')).toHaveLength(1)
  })

  test('a version of another instance does not exist here', async () => {
    const { id } = await twice()
    const { one } = await twice()
    for (const versionId of [one.id, 'none']) {
      expect((await restore(id, versionId)).status).toBe(404)
      expect((await flowsOfVersion(id, versionId)).status).toBe(404)
    }
  })

  test('is for owners; members and viewers see the versions and can have their flows', async () => {
    const { id, one } = await twice()
    const path = `/api/v1/projects/${id}/versions`
    for (const role of [roles.member, roles.viewer, roles.dashboard]) {
      const who = await server.build.member(team, role)
      const may = role === roles.dashboard ? 403 : 200
      expect([
        role,
        (await send(server.address, 'GET', path, { headers: { cookie: who.cookie } })).status,
        (await flowsOfVersion(id, one.id, who)).status,
        (await restore(id, one.id, who)).status,
      ]).toEqual([role, may, may, 403])
    }
    const stranger = await server.build.user()
    expect((await send(server.address, 'GET', path, { headers: { cookie: stranger.cookie } })).status).toBe(404)
  })

  test('imports and copies are versions too', async () => {
    const { id } = await running()
    await raw('POST', `/${id}/import`, { flows: JSON.stringify(flowsOf('Imported')) })
    await settled(id)
    expect((await versions(id))[0]).toMatchObject({ kind: 'import', user: { id: owner.id }, current: true })
    const copy = await owner.client.call('instance.create', {
      body: { name: 'a-copy', applicationId: application.id, ...(await server.build.choice()), sourceProject: { id } },
    })
    expect((await versions(copy.id)).map(({ kind }) => kind)).toEqual(['duplicate'])
    expect(await versions((await create()).id)).toEqual([])
  })
})

test('a restore goes on where a server that ended in the middle of it left off', async () => {
  const instance = await running()
  const { deploy } = await open(instance)
  await deploy(flowsOf('One'), [])
  await deploy(flowsOf('Two'), flowsOf('One'))
  script().holdStarts()
  expect((await restore(instance.id, (await versions(instance.id))[1]!.id)).status).toBe(200)
  await until(
    async () => (await server.driver.pair!.trial(instance.id)).state,
    (state) => state === 'starting',
  )
  const { config } = server
  await server.stop()
  server = await startServer({ config })
  await inState(instance.id, 'running')
  expect(await (await open(instance)).stored('flows')).toEqual(flowsOf('One'))
  expect((await versions(instance.id)).map(({ kind }) => kind)).toEqual(['restore', 'deploy', 'deploy'])
  expect((await log(instance.id)).filter(({ event }) => event === 'project.flow-restored')).toHaveLength(1)
})
