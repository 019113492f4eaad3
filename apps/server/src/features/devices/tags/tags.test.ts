import { limited, roles } from '@app/contract'
import { beforeEach, expect, test } from 'vitest'
import { openPlatform, send } from '../../../../testing/index.ts'

const { server, owner, team } = await openPlatform()
const { build } = server
const line = await build.application(owner, team)
const oven = await build.runningInstance(owner, line)
beforeEach(async () => {
  await server.app.database.read.deleteFrom('devices').execute()
})

const params = { teamId: team.id }
const add = async (name: string, tags: string[] = []) => {
  const { id } = await owner.client.call('device.create', { body: { name, type: 'Pi', team: team.id } })
  if (tags.length > 0) await save(id, tags)
  return id
}
const save = async (deviceId: string, tags: string[]) =>
  owner.client.call('device.update', { params: { deviceId }, body: { tags } })
const tagsOf = async (deviceId: string) => (await owner.client.call('device.get', { params: { deviceId } })).tags
const change = async (devices: string[], tags: { add?: string[]; remove?: string[] }) =>
  owner.client.call('device.tagMany', { params, body: { devices, ...tags } })
const list = async (query: Record<string, string>) => owner.client.call('device.listOfTeam', { params, query })
const names = async (query: Record<string, string>) => {
  const { count, devices } = await list(query)
  expect(count).toBe(devices.length)
  return devices.map(({ name }) => name)
}
const newest = async () => (await owner.client.call('team.auditLog', { params, query: { limit: 1 } })).log[0]!

test('[DEV-67] tags are kept as words in lower case, each once, in the order of the alphabet, and the log has the change', async () => {
  const id = await add('Oven 3')
  expect((await save(id, [' Bakery ', 'floor-2', 'BAKERY', 'KÜCHE', 'line:3'])).tags).toEqual([
    'bakery',
    'floor-2',
    'küche',
    'line:3',
  ])
  expect(await newest()).toMatchObject({
    event: 'team.device.updated',
    body: { device: { id }, updates: [{ key: 'tags', old: '', new: 'bakery, floor-2, küche, line:3' }] },
  })
  const before = (await newest()).id
  await save(id, ['line:3', 'küche', 'floor-2', 'bakery'])
  expect((await newest()).id).toBe(before)
  await owner.client.call('device.update', { params: { deviceId: id }, body: { name: 'Oven 4' } })
  expect(await tagsOf(id)).toHaveLength(4)
  expect((await save(id, [])).tags).toEqual([])
})

test.each([
  [['two words'], 'A tag is one word of letters, digits and . _ : -'],
  [['#1'], 'A tag is one word of letters, digits and . _ : -'],
  [[''], 'A tag is one word of letters, digits and . _ : -'],
  [['a\0b'], 'A tag is one word of letters, digits and . _ : -'],
  [['a'.repeat(33)], 'At most 32 characters'],
  [Array.from({ length: 11 }, (_, n) => `t${n}`), 'At most 10 tags'],
])('[DEV-67] %j cannot be the tags of a device, and nothing is changed', async (tags, sentence) => {
  const id = await add('Oven 3', ['bakery'])
  const headers = { cookie: owner.cookie }
  const one = await send(server.address, 'PUT', `/api/v1/devices/${id}`, { headers, body: { tags } })
  const many = await send(server.address, 'PUT', `/api/v1/teams/${team.id}/devices/bulk/tags`, {
    headers,
    body: { devices: [id], add: tags },
  })
  for (const { status, json } of [one, many]) {
    expect([status, json.code]).toEqual([400, 'invalid_request'])
    expect(json.error).toContain(sentence)
  }
  expect(await tagsOf(id)).toEqual(['bakery'])
})

test('[DEV-67] a list is narrowed to a tag, its search finds tags, and both work with the other filters', async () => {
  await add('Oven 1', ['bakery', 'floor-1'])
  await add('Oven 2', ['bakery', 'floor-2'])
  const press = await add('Press 1', ['floor-2'])
  await add('Bakery scales')
  expect(await names({ tag: 'bakery' })).toEqual(['Oven 1', 'Oven 2'])
  expect(await names({ tag: 'Floor-2' })).toEqual(['Oven 2', 'Press 1'])
  expect(await names({ tag: 'floor' })).toEqual([])
  expect(await names({ query: 'bakery' })).toEqual(['Oven 1', 'Oven 2', 'Bakery scales'])
  expect(await names({ query: 'FLOOR-' })).toEqual(['Oven 1', 'Oven 2', 'Press 1'])
  expect(await names({ query: 'o%r' })).toEqual([])
  expect(await names({ tag: 'floor-2', query: 'press', status: 'never' })).toEqual(['Press 1'])
  expect(await names({ tag: 'floor-2', status: 'running' })).toEqual([])
  await owner.client.call('device.update', { params: { deviceId: press }, body: { instance: oven.id } })
  const ofInstance = { params: { instanceId: oven.id }, query: { tag: 'floor-2' } }
  expect((await owner.client.call('device.listOfInstance', ofInstance)).devices).toMatchObject([{ tags: ['floor-2'] }])
  expect((await list({ tag: 'bakery', limit: '1' })).meta.next_cursor).toBeDefined()
})

test('[DEV-67] many devices get and lose tags at once, each with its entry; those that would have too many are named', async () => {
  const [one, two] = [await add('One', ['old']), await add('Two')]
  const full = await add(
    'Full',
    Array.from({ length: 10 }, (_, n) => `t${n}`),
  )
  const { done, refused } = await change([one, two, full, 'unknown'], { add: ['Bakery'], remove: ['old'] })
  expect(done).toEqual([one, two])
  expect(refused).toEqual([
    { id: full, name: 'Full', code: 'invalid_request', error: 'A device has at most 10 tags' },
    { id: 'unknown', code: 'not_found', error: expect.stringContaining('no such device') },
  ])
  expect([await tagsOf(one), await tagsOf(two), (await tagsOf(full)).length]).toEqual([['bakery'], ['bakery'], 10])
  const { log } = await owner.client.call('team.auditLog', { params, query: { limit: 3 } })
  expect(log.map(({ event, body }) => [event, body])).toMatchObject([
    ['team.device.updated', { device: { name: 'Two' }, updates: [{ old: '', new: 'bakery' }] }],
    ['team.device.updated', { device: { name: 'One' }, updates: [{ old: 'old', new: 'bakery' }] }],
    ['team.device.updated', { device: { name: 'Full' } }],
  ])
  const before = (await newest()).id
  expect((await change([one, two], { add: ['bakery'] })).done).toEqual([one, two])
  expect((await newest()).id).toBe(before)
  await expect(change([one], {})).rejects.toMatchObject({ status: 400 })
})

test('[DEV-67] the tags of a team are listed, the most used first, and limited members see those of their applications', async () => {
  const [mine] = [await add('One', ['bakery', 'mine']), await add('Two', ['bakery', 'theirs'])]
  const stranger = await build.user()
  const other = await build.team(stranger)
  const foreign = await stranger.client.call('device.create', { body: { name: 'X', type: '', team: other.id } })
  await stranger.client.call('device.update', { params: { deviceId: foreign.id }, body: { tags: ['foreign'] } })
  const tags = async (by = owner) => (await by.client.call('device.tagsOfTeam', { params })).tags
  expect(await tags()).toEqual([
    { tag: 'bakery', devices: 2 },
    { tag: 'mine', devices: 1 },
    { tag: 'theirs', devices: 1 },
  ])
  await owner.client.call('device.update', { params: { deviceId: mine }, body: { instance: oven.id } })
  await build.setting('team:application-roles', true)
  const user = await build.member(team, limited)
  await build.applicationRole(line, user.id, roles.viewer)
  expect((await tags(user)).map(({ tag }) => tag)).toEqual(['bakery', 'mine'])
  await owner.client.call('device.delete', { params: { deviceId: mine } })
  expect((await tags()).map(({ tag }) => tag)).toEqual(['bakery', 'theirs'])
})

test('a page of 10,000 devices with tags is read in as few queries as one of few, however it is narrowed', async () => {
  const id = await add('Oven', ['bakery'])
  const { read } = server.app.database
  const row = await read.selectFrom('devices').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  for (let at = 0; at < 10_000; at += 500) {
    const many = Array.from({ length: 500 }, (_, n) => ({ ...row, id: `d${at + n}`, token_hash: `d${at + n}` }))
    await read.insertInto('devices').values(many).execute()
    const tagged = many.flatMap(({ id: device_id }, n) =>
      ['floor', `line-${n % 20}`].map((tag) => ({ device_id, team_id: team.id, tag })),
    )
    await read.insertInto('device_tags').values(tagged).execute()
  }
  const path = 'GET /api/v1/teams/:teamId/devices'
  const queries: Record<string, string>[] = [
    {},
    { tag: 'line-7' },
    { query: 'line-7' },
    { tag: 'floor', status: 'never' },
  ]
  for (const query of queries) {
    server.queries.worst.clear()
    const { devices } = await list({ limit: '30', ...query })
    expect(devices).toHaveLength(30)
    expect(server.queries.worst.get(path)).toBeLessThanOrEqual(5)
  }
  expect((await list({ limit: '1', tag: 'line-7' })).count).toBe(500)
})
