import { limited, type QueryOf, roles, type Routes } from '@app/contract'
import { expect, test } from 'vitest'
import { openPlatform, send, testClock, type TestUser } from '../../../testing/index.ts'

const clock = testClock()
const { server, owner, team } = await openPlatform({ clock })
const { build } = server
const line = await build.application(owner, team)
const oven = await build.runningInstance(owner, line)

const add = async (name: string) => owner.client.call('device.create', { body: { name, type: 'Pi', team: team.id } })
type Added = Awaited<ReturnType<typeof add>>
const assign = async ({ id }: Added, instance: string | null) =>
  owner.client.call('device.update', { params: { deviceId: id }, body: { instance } })
const post = async ({ id, credentials }: Added, body: Record<string, unknown>, of = id) => {
  const headers = { authorization: `Bearer ${credentials.token}` }
  return (await send(server.address, 'POST', `/logging/device/${of}/audit`, { headers, body })).status
}
const say = async (device: Added, body: Record<string, unknown>) => expect(await post(device, body)).toBe(200)
const read = async ({ id }: Pick<Added, 'id'>, query: QueryOf<Routes['device.auditLog']> = {}, by: TestUser = owner) =>
  by.client.call('device.auditLog', { params: { deviceId: id }, query })
const events = async (...[device, query, by]: Parameters<typeof read>) =>
  (await read(device, query, by)).log.map(({ event }) => event)

test('[DEV-66] the log of a device has what people did with it and what its agent reported, each once, and no others', async () => {
  const [device, other] = [await add('Oven 3'), await add('Oven 4')]
  for (const each of [other, device]) {
    await assign(each, oven.id)
    await say(each, { event: 'flows.set' })
  }
  await owner.client.call('device.update', { params: { deviceId: device.id }, body: { name: 'Oven 5' } })
  await assign(device, null)
  const { count, log, meta } = await read(device)
  expect(log.map(({ event, scope }) => [event, scope.type])).toEqual([
    ['team.device.unassigned', 'team'],
    ['team.device.updated', 'team'],
    ['flows.set', 'project'],
    ['team.device.assigned', 'team'],
    ['team.device.created', 'team'],
  ])
  expect([count, meta]).toEqual([5, {}])
  expect(log.every(({ body }) => (body.device as { id: string }).id === device.id)).toBe(true)
})

test('[DEV-66] it is narrowed by event, person, text and time, and read by cursor', async () => {
  const device = await add('Press 1')
  const colleague = await build.member(team, roles.owner)
  await colleague.client.call('device.update', { params: { deviceId: device.id }, body: { type: 'Quicksilver' } })
  await assign(device, oven.id)
  expect(await events(device, { event: ['team.device.assigned', 'team.device.created'] })).toEqual([
    'team.device.assigned',
    'team.device.created',
  ])
  expect(await events(device, { username: colleague.username })).toEqual(['team.device.updated'])
  expect(await events(device, { query: 'QUICKSILVER' })).toEqual(['team.device.updated'])
  expect((await read(device, { search: 'quicksilver' })).count).toBe(1)
  expect(await events(device, { query: 'nowhere' })).toEqual([])
  expect(await events(device, { to: '2020-01-01T00:00:00Z' })).toEqual([])
  expect(await events(device, { from: '2020-01-01T00:00:00Z' })).toHaveLength(3)
  const { meta, count } = await read(device, { limit: 2 })
  expect([count, await events(device, { cursor: meta.next_cursor! })]).toEqual([3, ['team.device.created']])
})

test('[PERM-81] viewers read it, without the addresses of people, and nobody of another team does', async () => {
  const device = await add('Mixer 1')
  const viewer = await build.member(team, roles.viewer)
  expect((await read(device)).log[0]!.address).toEqual(expect.any(String))
  expect((await read(device, {}, viewer)).log[0]).toMatchObject({ event: 'team.device.created', address: null })
  const dashboard = await build.member(team, roles.dashboard)
  await expect(read(device, {}, dashboard)).rejects.toMatchObject({ status: 403 })
  await expect(read(device, {}, await build.user())).rejects.toMatchObject({ status: 404 })
})

test('an instance cannot put an entry into the log of a device, whatever it reports', async () => {
  const device = await add('Mixer 2')
  const before = await events(device)
  const report = { event: 'flows.set', device: { id: device.id, name: device.name }, info: { device: device.id } }
  const headers = { authorization: `Bearer ${await build.instanceToken(oven)}` }
  const { status } = await send(server.address, 'POST', `/logging/${oven.id}/audit`, { headers, body: report })
  expect(status).toBe(200)
  expect(await events(device)).toEqual(before)
})

test('[PERM-79] a limited member reads nothing there that names an instance of another application', async () => {
  await build.setting('team:application-roles', true)
  const elsewhere = await build.runningInstance(owner, await build.application(owner, team))
  const device = await add('Mixer 3')
  await assign(device, elsewhere.id)
  await say(device, { event: 'flows.set' })
  await assign(device, oven.id)
  await say(device, { event: 'nodes.install' })
  const user = await build.member(team, limited)
  await build.applicationRole(line, user.id, roles.viewer)
  const page = await read(device, {}, user)
  expect(page.log.map(({ event }) => event)).toEqual(['nodes.install', 'team.device.created'])
  expect(JSON.stringify(page)).not.toContain(elsewhere.id)
  expect(page.count).toBe(2)
})

test('an event that an agent sends again is recorded once, and one that comes late says when it was', async () => {
  const device = await add('Mixer 4')
  await assign(device, oven.id)
  const at = clock.now() - 3_600_000
  const one = { event: 'flows.set', type: 'full', timestamp: at, reportId: 'one' }
  await say(device, one)
  await say(device, one)
  await say(device, { ...one, timestamp: clock.now(), reportId: 'two' })
  await say(device, { ...one, timestamp: 1e300, reportId: 'three' })
  const { log } = await read(device, { event: 'flows.set' })
  expect(log.map(({ body }) => body.info)).toEqual([
    { type: 'full' },
    { type: 'full' },
    { type: 'full', deviceTime: new Date(at).toISOString() },
  ])
})

test('a device writes into no log but its own, no event that is not one of Node-RED, and at most 300 in a minute', async () => {
  const [device, other] = [await add('Mixer 5'), await add('Mixer 6')]
  await assign(device, oven.id)
  await assign(other, oven.id)
  expect(await post(device, { event: 'flows.set' }, other.id)).toBe(401)
  expect(await post(device, { event: 'team.device.deleted' })).toBe(400)
  const many = await Promise.all(Array.from({ length: 300 }, async () => post(device, { event: 'flows.getState' })))
  expect(many.filter((status) => status !== 200)).toEqual([])
  expect(await post(device, { event: 'flows.set' })).toBe(429)
  await say(other, { event: 'flows.set' })
  clock.turn(60_000)
  await say(device, { event: 'flows.set' })
})

test('[DEV-71] its log has what became of its instance while it was assigned to it: targets, moves and deletion', async () => {
  const proofer = await build.runningInstance(owner, line)
  const setTarget = async ({ id }: typeof oven, name: string) => {
    const inInstance = { params: { instanceId: id } }
    const made = await owner.client.call('snapshot.create', { ...inInstance, body: { name } })
    await owner.client.call('device.setTarget', { ...inInstance, body: { targetSnapshot: made.id } })
  }
  const device = await add('Mixer 7')
  await setTarget(oven, 'Before')
  await assign(device, oven.id)
  await setTarget(oven, 'Rye')
  await assign(device, proofer.id)
  await setTarget(oven, 'Meanwhile')
  await setTarget(proofer, 'Wheat')
  const elsewhere = await build.application(owner, team)
  await owner.client.call('instance.move', {
    params: { instanceId: proofer.id },
    body: { applicationId: elsewhere.id },
  })
  const { log, count } = await read(device)
  const named = log.map(({ event, body }) => [event, (body as { snapshot?: { name: string } }).snapshot?.name])
  expect(named).toEqual([
    ['project.moved', undefined],
    ['project.snapshot.device-target-set', 'Wheat'],
    ['team.device.assigned', undefined],
    ['team.device.unassigned', undefined],
    ['project.snapshot.device-target-set', 'Rye'],
    ['team.device.assigned', undefined],
    ['team.device.created', undefined],
  ])
  expect(count).toBe(7)
  expect(await events(device, { query: 'wheat' })).toEqual(['project.snapshot.device-target-set'])
  expect(await events(device, { limit: 2 })).toEqual(['project.moved', 'project.snapshot.device-target-set'])

  await build.setting('team:application-roles', true)
  const user = await build.member(team, limited)
  await build.applicationRole(elsewhere, user.id, roles.viewer)
  expect(await events(device, {}, user)).toEqual([
    'project.moved',
    'project.snapshot.device-target-set',
    'team.device.created',
  ])
})
