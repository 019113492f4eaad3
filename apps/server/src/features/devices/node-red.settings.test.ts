import type { DevicePatch } from '@app/contract'
import bcrypt from 'bcryptjs'
import { expect, test } from 'vitest'
import { clientWith, openPlatform, send } from '../../../testing/index.ts'

const { server, owner, team } = await openPlatform()

const limit = (set: number | null, inForce: number | null = 256) => ({ set, next: set ?? 256, inForce })

async function device() {
  const body = { name: 'Oven 3', type: 'Pi', team: team.id }
  const { id, credentials } = await owner.client.call('device.create', { body })
  const params = { deviceId: id }
  const authorization = `Bearer ${credentials.token}`
  const agent = clientWith(server.address, 'authorization', authorization)
  const settings = async () => agent.call('deviceLink.settings', { params })
  return {
    id,
    settings,
    /** Says what an agent of this platform says of a device that is as it shall be, but for this. */
    report: async (said: object) =>
      send(server.address, 'POST', `/api/v1/devices/${id}/live/state`, {
        headers: { authorization },
        body: { state: 'running', settings: (await settings()).hash, ...said },
      }),
    read: async () => (await owner.client.call('device.get', { params })).nodeRed,
    update: async (nodeRed: NonNullable<DevicePatch['nodeRed']>) =>
      owner.client.call('device.update', { params, body: { nodeRed } }),
    put: async (nodeRed: unknown) =>
      send(server.address, 'PUT', `/api/v1/devices/${id}`, { headers: { cookie: owner.cookie }, body: { nodeRed } }),
  }
}
const lastEntry = async () =>
  (await owner.client.call('team.auditLog', { params: { teamId: team.id }, query: { limit: 1 } })).log[0]

test('[DSET-08] a memory limit is told to the agent until it says that it has it, and leaves the settings as they are', async () => {
  const one = await device()
  const { hash } = await one.settings()
  expect(await one.report({ agent: 'a', memoryLimit: limit(null) })).toMatchObject({ status: 200, json: {} })
  await one.update({ memory: 512 })
  expect(await lastEntry()).toMatchObject({
    event: 'team.device.updated',
    body: { device: { id: one.id }, updates: [{ key: 'nodeRed.memory', old: null, new: 512 }] },
  })
  expect((await one.settings()).hash).toBe(hash)
  expect(await one.report({ agent: 'a', memoryLimit: limit(null) })).toMatchObject({
    status: 409,
    json: { error: 'incorrect-memory', memory: 512, settings: hash },
  })
  expect(await one.report({ agent: 'a', memoryLimit: limit(512) })).toMatchObject({ status: 200, json: {} })
  expect(await one.read()).toMatchObject({ memory: 512, memoryLimit: { set: 512, next: 512, inForce: 256 } })
  await one.update({ memory: null })
  expect((await one.report({ agent: 'a', memoryLimit: limit(512, 512) })).json).toMatchObject({ memory: null })
  expect(await one.read()).toMatchObject({ memory: null, memoryLimit: limit(512, 512) })
})

test.each([63, 65_537, 256.5, '512'])('a memory limit of %j is refused with a sentence', async (memory) => {
  const one = await device()
  const { status, json } = await one.put({ memory })
  expect([status, json.fields]).toEqual([400, { 'nodeRed.memory': 'A number from 64 to 65536' }])
  expect(await one.read()).toMatchObject({ memory: null, memoryLimit: null })
})

test('[DSET-09] another version of Node-RED changes the settings of the device, and is told with them', async () => {
  const one = await device()
  const before = await one.settings()
  expect(before.nodeRed).toMatchObject({ version: null })
  await one.update({ version: '4.1.15' })
  expect((await lastEntry())!.body.updates).toEqual([
    { key: 'nodeRed.version', old: null, new: '4.1.15', dif: 'updated' },
  ])
  const after = await one.settings()
  expect(after.nodeRed).toMatchObject({ version: '4.1.15' })
  expect(after.hash).not.toBe(before.hash)
  expect((await one.report({ agent: 'a', memoryLimit: limit(null), settings: before.hash })).json).toMatchObject({
    error: 'incorrect-settings',
  })
  await one.update({ version: null })
  expect((await one.settings()).hash).toBe(before.hash)
})

test('[DSET-09] a version that needs a newer Node.js than the device has is warned of', async () => {
  const one = await device()
  await one.update({ version: '5.0.7' })
  const warning = async (nodejsVersion: string) => {
    await one.report({ agent: 'a', memoryLimit: limit(null), nodejsVersion })
    return (await one.read())?.warning
  }
  expect(await warning('20.19.1')).toMatch(
    /^Node-RED 5\.0\.7 needs Node\.js 22\.9 or later, and this device has 20\.19\.1\./,
  )
  expect(await warning('24.21.0')).toBeNull()
})

test.each(['latest', '5', '5.0.7 || 4', 'https://example.com/x.tgz'])('the version %j is refused', async (version) => {
  const one = await device()
  const { status, json } = await one.put({ version })
  expect([status, json.fields]).toEqual([400, { 'nodeRed.version': 'An exact version such as 5.0.7' }])
})

test('[DSET-10] lists of modules and catalogues are told with the settings of the device', async () => {
  const one = await device()
  const { hash } = await one.settings()
  const palette = {
    allowList: ['@plant/*', 'flour@^1.0.0'],
    denyList: ['evil-*'],
    catalogues: ['https://plant.example.com/catalogue.json'],
  }
  await one.update(palette)
  expect(await one.read()).toMatchObject(palette)
  const { updates } = (await lastEntry())!.body
  expect(updates).toContainEqual({
    key: 'nodeRed.allowList',
    old: null,
    new: '@plant/*, flour@^1.0.0',
    dif: 'updated',
  })
  const told = await one.settings()
  expect(told.nodeRed).toEqual({ version: null, ...palette, httpAuth: null, editorAuth: null })
  expect(told.hash).not.toBe(hash)
  // The same once more is no change.
  const entry = await lastEntry()
  await one.update(palette)
  expect(await lastEntry()).toEqual(entry)
})

test.each([
  [{ allowList: ['foo bar'] }, 'nodeRed.allowList.0', /comma-separated list of nodes/],
  [{ denyList: [] }, 'nodeRed.denyList', /./],
  [{ catalogues: ['ftp://example.com/a.json'] }, 'nodeRed.catalogues.0', /http:\/\/ or https:\/\//],
])('a palette of %j is refused', async (palette, name, sentence) => {
  const one = await device()
  const { status, json } = await one.put(palette)
  expect(status).toBe(400)
  expect((json.fields as Record<string, string>)[name]).toMatch(sentence)
})

test('[DSET-11] passwords are kept and told as hashes, and shown to nobody', async () => {
  const one = await device()
  const [editor, http] = ['kneading-4711', 'proofing-4711']
  await one.update({ editorAuth: { user: 'ann', password: editor }, httpAuth: { user: 'line', password: http } })
  expect(await one.read()).toMatchObject({ editorAuth: { user: 'ann' }, httpAuth: { user: 'line' } })
  const { editorAuth, httpAuth } = (await one.settings()).nodeRed
  expect([await bcrypt.compare(editor, editorAuth!.hash), await bcrypt.compare(http, httpAuth!.hash)]).toEqual([
    true,
    true,
  ])
  const entry = await lastEntry()
  expect(entry!.body.updates).toContainEqual({
    key: 'nodeRed.editorAuth.password',
    old: '***',
    new: '***',
    dif: 'updated',
  })
  const row = await server.app.database.read
    .selectFrom('devices')
    .selectAll()
    .where('id', '=', one.id)
    .executeTakeFirstOrThrow()
  const shown = JSON.stringify([row, entry, await one.put({ memory: 128 })])
  for (const secret of [editor, http]) expect(shown).not.toContain(secret)
  expect(JSON.stringify([entry, await one.read()])).not.toContain(editorAuth!.hash)

  // Another name keeps the password, and without a name there is no sign-in.
  await one.update({ editorAuth: { user: 'bob' }, httpAuth: null })
  expect((await one.settings()).nodeRed).toMatchObject({ editorAuth: { ...editorAuth, user: 'bob' }, httpAuth: null })
})

test.each([
  [{ user: 'ann' }, 'password', 'Enter a password'],
  [{ user: 'ann', password: 'short' }, 'password', 'At least 8 characters'],
  [{ user: 'ann', password: ' '.repeat(8) }, 'password', 'Must not be spaces alone'],
  [{ user: 'ann', password: 'é'.repeat(37) }, 'password', 'At most 72 bytes'],
  [{ user: ' ', password: 'kneading-4711' }, 'user', 'Enter a user name'],
  [{ user: 'a:b', password: 'kneading-4711' }, 'user', 'Must not contain a colon'],
])('a sign-in of %j is refused', async (editorAuth, name, sentence) => {
  const one = await device()
  const { status, json } = await one.put({ editorAuth })
  expect([status, json.fields]).toEqual([400, { [`nodeRed.editorAuth.${name}`]: sentence }])
  expect(await one.read()).toMatchObject({ editorAuth: null })
})

test('[DSET-07] an agent that reports no memory limit is told none, and its device takes no settings of Node-RED', async () => {
  const one = await device()
  await one.update({ memory: 512 })
  expect((await one.report({ agentVersion: '4.2.1' })).json).toEqual({})
  expect((await one.report({ agentVersion: '4.2.1', settings: null })).json).not.toHaveProperty('memory')
  expect(await one.read()).toBeNull()
  expect(await one.put({ memory: 300 })).toMatchObject({ status: 409, json: { code: 'agent_outdated' } })
  // Until the agent of this platform takes its place.
  await one.report({ agent: 'a', memoryLimit: limit(null) })
  expect(await one.read()).toMatchObject({ memory: 512, memoryLimit: limit(null) })
})
