import type { Instance } from '@app/contract'
import { roles } from '@app/contract'
import { describe, expect, test } from 'vitest'
import { instanceCalls, openWorkshop, send, type TestUser } from '../../../testing/index.ts'
import { sealCredentials } from '../flows/index.ts'

const { server, owner, team, application } = await openWorkshop()

const { act, inState, running, raw, log, script } = instanceCalls(() => ({ server, owner, application }))

const tab = { id: 'tab', type: 'tab', label: 'Oven' }
const node = (id: string, more: object = {}) => ({
  id,
  type: 'function',
  z: 'tab',
  name: id,
  x: 1,
  y: 1,
  wires: [],
  ...more,
})
const flows = [tab, node('warm', { func: 'return msg' })]

/** As a running Node-RED stores it. */
async function deploy(instance: Instance, nodes: object[], credentials?: object): Promise<void> {
  const headers = { authorization: `Bearer ${await server.build.instanceToken(instance)}` }
  if (credentials) {
    const body = sealCredentials(credentials as never, script().spec(instance.id)!.credentialSecret)
    await send(server.address, 'POST', `/storage/${instance.id}/credentials`, { headers, body })
  }
  const answer = await send(server.address, 'POST', `/storage/${instance.id}/flows`, { headers, body: nodes })
  expect(answer.status).toBe(200)
}
const params = (instanceId: string) => ({ params: { instanceId } })
const of = (instanceId: string, snapshotId: string) => ({ params: { instanceId, snapshotId } })
const take = async (id: string, name = 'Good') =>
  owner.client.call('snapshot.create', { ...params(id), body: { name, description: 'It runs' } })
const list = async (id: string, query = {}) => owner.client.call('snapshot.list', { ...params(id), query })
async function stored(): Promise<{ blobs: number; refs: number }> {
  const rows = await server.app.database.read.selectFrom('blobs').select('refs').execute()
  return { blobs: rows.length, refs: rows.reduce((sum, { refs }) => sum + refs, 0) }
}

describe('a snapshot', () => {
  test('[SNAP-14] [SNAP-16] [API-85] [API-86] [API-87] has what it was given, who took it, and its modules', async () => {
    const instance = await running()
    const palette = { modules: [{ name: 'node-red-node-random', version: '~1.0.0' }] }
    await raw('PUT', `/${instance.id}`, { settings: { palette } })
    const made = await take(instance.id)
    expect(made).toMatchObject({
      name: 'Good',
      description: 'It runs',
      id: expect.any(String) as string,
      user: { username: owner.username, name: owner.username, avatar: expect.stringContaining('/avatar/') as string },
      modules: { 'node-red': '5.0.7', 'node-red-node-random': '~1.0.0' },
    })
    expect(made.createdAt).toBe(made.updatedAt)
    expect(await owner.client.call('snapshot.get', of(instance.id, made.id))).toEqual(made)
    expect(await list(instance.id)).toEqual({ meta: {}, count: 1, snapshots: [made] })
    const entry = (await log(instance.id)).find(({ event }) => event === 'project.snapshot.created')
    expect(entry?.body).toEqual({
      project: { id: instance.id, name: instance.name },
      snapshot: { id: made.id, name: 'Good' },
    })
  })

  test('[SNAP-08] without a name is refused with a word of it', async () => {
    const { id } = await running()
    for (const name of ['', '  ', 'a\0b']) {
      const { status, json } = await raw('POST', `/${id}/snapshots`, { name })
      expect([status, json.code, json.error]).toEqual([400, 'invalid_name', 'A snapshot needs a name'])
    }
    expect((await raw('POST', `/${id}/snapshots`, { name: 'a', description: 'a\0b' })).status).toBe(400)
    expect((await raw('POST', `/${id}/snapshots`, { name: 'a', setAsTarget: 'yes' })).status).toBe(400)
    expect((await list(id)).count).toBe(0)
  })

  test('stands in the list newest first, page by page, and is found by its name', async () => {
    const { id } = await running()
    for (const name of ['one', 'Two', 'three']) await take(id, name)
    const first = await list(id, { limit: 2 })
    expect(first.snapshots.map(({ name }) => name)).toEqual(['three', 'Two'])
    const second = await list(id, { limit: 2, cursor: first.meta.next_cursor })
    expect([second.snapshots.map(({ name }) => name), second.count, second.meta]).toEqual([['one'], 3, {}])
    const found = await list(id, { query: 'tw' })
    expect([found.count, found.snapshots.map(({ name }) => name)]).toEqual([1, ['Two']])
  })

  test('is found by a name with characters that mean something in a pattern, and no other is', async () => {
    const { id } = await running()
    for (const name of ['oven_1', 'oven-1', '100% rye', '1000 rye']) await take(id, name)
    const names = async (query: string) => (await list(id, { query })).snapshots.map(({ name }) => name)
    expect(await names('N_1')).toEqual(['oven_1'])
    expect(await names('%')).toEqual(['100% rye'])
  })

  test('[API-85] [API-87] [API-88] is gone once it is deleted, and is nobody else’s', async () => {
    const [instance, other] = [await running(), await running()]
    const made = await take(instance.id)
    const foreign = of(other.id, made.id)
    expect([(await list(instance.id)).count, await list(other.id)]).toEqual([1, { meta: {}, count: 0, snapshots: [] }])
    await expect(owner.client.call('snapshot.get', foreign)).rejects.toMatchObject({ status: 404 })
    await expect(owner.client.call('snapshot.flows', foreign)).rejects.toMatchObject({ status: 404 })
    await expect(owner.client.call('snapshot.delete', foreign)).rejects.toMatchObject({ status: 404 })
    expect(await owner.client.call('snapshot.delete', of(instance.id, made.id))).toEqual({ status: 'okay' })
    await expect(owner.client.call('snapshot.get', of(instance.id, made.id))).rejects.toMatchObject({ status: 404 })
    expect((await log(instance.id))[0]).toMatchObject({
      event: 'project.snapshot.deleted',
      body: { snapshot: { id: made.id, name: 'Good' } },
    })
  })

  /** The statuses that a call on a snapshot has for dashboard, viewer, member and owner. */
  async function statuses(make: (client: TestUser['client'], made: { id: string }, id: string) => Promise<unknown>) {
    const { id } = await running()
    const made = await take(id)
    const got: number[] = []
    for (const role of [roles.dashboard, roles.viewer, roles.member, roles.owner] as const) {
      const { client } = await server.build.member(team, role)
      got.push(
        await make(client, made, id).then(
          () => 200,
          (error: { status: number }) => error.status,
        ),
      )
    }
    return got
  }

  test('[PERM-63] [SNAP-05] viewers list and read them', async () => {
    const list = await statuses((client, _, id) => client.call('snapshot.list', { ...params(id), query: {} }))
    const read = await statuses((client, made, id) => client.call('snapshot.get', of(id, made.id)))
    expect([list, read]).toEqual([
      [403, 200, 200, 200],
      [403, 200, 200, 200],
    ])
  })

  test('[PERM-52] [SNAP-03] members create them', async () => {
    const body = { name: 'By role' }
    const create = await statuses((client, _, id) => client.call('snapshot.create', { ...params(id), body }))
    expect(create).toEqual([403, 403, 200, 200])
  })

  test('[PERM-45] [SNAP-07] owners delete them', async () => {
    const remove = await statuses((client, made, id) => client.call('snapshot.delete', of(id, made.id)))
    expect(remove).toEqual([403, 403, 403, 200])
  })
})

describe('what is kept', () => {
  test('ten snapshots of unchanged flows cost one; deleting frees', async () => {
    const instance = await running()
    await deploy(instance, flows, { warm: { key: 'rye' } })
    const before = await stored()
    const made = []
    for (let i = 0; i < 10; i++) made.push(await take(instance.id, `No. ${i}`))
    expect((await stored()).blobs - before.blobs).toBeLessThanOrEqual(3)
    expect((await stored()).refs - before.refs).toBe(30)
    for (const { id } of made.slice(1)) await owner.client.call('snapshot.delete', of(instance.id, id))
    expect(await owner.client.call('snapshot.flows', of(instance.id, made[0]!.id))).toEqual({ flows })
    await owner.client.call('snapshot.delete', of(instance.id, made[0]!.id))
    expect(await stored()).toEqual(before)
  })

  test('is not deleted while something is done to the instance; the answer says what, and when to ask again', async () => {
    const { id } = await running()
    const made = await take(id)
    script().holdStarts()
    await act('restart', id)
    const refused = await raw('DELETE', `/${id}/snapshots/${made.id}`)
    script().release()
    expect(refused.json).toMatchObject({ code: 'invalid_state', error: 'Another operation is under way: restarting' })
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([409, '5'])
    await inState(id, 'running')
  })

  test('a deleted instance takes its snapshots with it', async () => {
    const instance = await running()
    const before = await stored()
    await deploy(instance, [tab, node('only here')])
    await take(instance.id)
    await take(instance.id)
    expect((await stored()).refs).toBeGreaterThan(before.refs)
    expect((await raw('DELETE', `/${instance.id}`)).status).toBe(200)
    await owner.client.call('deleted.remove', { params: { teamId: team.id, instanceId: instance.id } })
    expect(await stored()).toEqual(before)
  })

  test('no secret stands in the database or in an answer', async () => {
    const instance = await running()
    const env = [{ name: 'KEY', value: 'rye-42', encrypted: true }]
    await raw('PUT', `/${instance.id}`, { settings: { env } })
    await deploy(instance, flows, { warm: { key: 'wheat-43' } })
    const made = await take(instance.id)
    const { read } = server.app.database
    const rows = await read.selectFrom('snapshots').selectAll().where('id', '=', made.id).execute()
    const { readBlob } = await import('../../platform/blobs/blobs.ts')
    const [row] = rows
    const kept = [row!.flows_hash, row!.credentials_hash!, row!.settings_hash]
    const texts = [JSON.stringify(rows), ...(await Promise.all(kept.map(async (hash) => readBlob(read, hash))))].join()
    expect(texts).toContain('KEY')
    expect(texts).not.toMatch(/rye-42|wheat-43/)
    const answers = [
      await owner.client.call('snapshot.flows', of(instance.id, made.id)),
      await owner.client.call('snapshot.changes', { ...of(instance.id, made.id), query: {} }),
    ]
    expect(JSON.stringify(answers)).not.toMatch(/rye-42|wheat-43|"\$"/)
  })

  test('flows from elsewhere may be sent, with their credentials and the secret these are under', async () => {
    const instance = await running()
    const sent = {
      flows: [tab, node('cool')],
      settings: { modules: { 'node-red': '1.2.3', 'node-red-node-random': '*' } },
    }
    const credentials = sealCredentials({ cool: { key: 'oat' } }, 'theirs')
    const refused = await raw('POST', `/${instance.id}/snapshots`, {
      name: 'Sent',
      ...sent,
      credentials,
      credentialSecret: 'another',
    })
    expect([refused.status, refused.json.code]).toEqual([403, 'invalid_credentials_secret'])
    const { status, json } = await raw('POST', `/${instance.id}/snapshots`, {
      name: 'Sent',
      ...sent,
      credentials,
      credentialSecret: 'theirs',
    })
    expect([status, json.modules]).toEqual([200, { 'node-red': '5.0.7', 'node-red-node-random': '*' }])
    const { nodes, modules } = await owner.client.call('snapshot.changes', {
      ...of(instance.id, String(json.id)),
      query: {},
    })
    expect(nodes.map(({ id, change }) => [id, change])).toEqual([
      ['tab', 'added'],
      ['cool', 'added'],
    ])
    expect(modules).toEqual([{ name: 'node-red-node-random', new: '*' }])
  })
})

test('the difference names nodes with their properties, modules, variables and settings', async () => {
  const instance = await running()
  const env = [
    { name: 'SITE', value: 'bakery' },
    { name: 'KEY', value: 'rye', encrypted: true },
  ]
  await raw('PUT', `/${instance.id}`, { settings: { env, disableTours: false } })
  await deploy(instance, [...flows, node('gone'), node('still'), node('safe')], { safe: { key: 'rye' } })
  const before = await take(instance.id, 'Before')
  const palette = { modules: [{ name: 'node-red-node-random', version: '*' }] }
  const changed = [
    { name: 'SITE', value: 'mill' },
    { name: 'NEW', value: '1' },
  ]
  await raw('PUT', `/${instance.id}`, { settings: { env: changed, disableTours: true, palette } })
  await deploy(
    instance,
    [tab, node('warm', { func: 'return null', rules: [1] }), node('still', { x: 50 }), node('safe'), node('new')],
    { safe: { key: 'wheat' } },
  )
  const after = await take(instance.id, 'After')
  const found = await owner.client.call('snapshot.changes', {
    ...of(instance.id, after.id),
    query: { from: before.id },
  })
  const place = { type: 'function', flow: 'Oven' }
  expect(found.nodes).toEqual([
    {
      ...place,
      id: 'warm',
      label: 'warm',
      change: 'changed',
      properties: [
        { key: 'func', old: 'return msg', new: 'return null' },
        { key: 'rules', new: '[\n  1\n]' },
      ],
    },
    { ...place, id: 'still', label: 'still', change: 'moved', moved: true, properties: [] },
    { ...place, id: 'safe', label: 'safe', change: 'changed', properties: [{ key: 'credentials' }] },
    { ...place, id: 'new', label: 'new', change: 'added', properties: [] },
    { ...place, id: 'gone', label: 'gone', change: 'removed', properties: [] },
  ])
  // To be drawn, and no more of it.
  expect(found.removed).toMatchObject([{ id: 'gone', type: 'function', z: 'tab' }])
  expect(JSON.stringify(found.removed)).not.toContain('func"')
  expect(found.modules).toEqual([{ name: 'node-red-node-random', new: '*' }])
  expect(found.env).toEqual([
    { name: 'SITE', change: 'changed' },
    { name: 'NEW', change: 'added' },
    { name: 'KEY', change: 'removed' },
  ])
  expect(found.settings).toEqual([{ key: 'disableTours', change: 'changed' }])
  // Against what is there now.
  const none = await owner.client.call('snapshot.changes', { ...of(instance.id, after.id), query: {} })
  expect(none).toEqual({ nodes: [], modules: [], env: [], settings: [], names: {}, removed: [], was: [] })
})
