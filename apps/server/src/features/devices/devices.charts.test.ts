import { beforeEach, describe, expect, test } from 'vitest'
import { openWorkshop, send, testClock } from '../../../testing/index.ts'

const clock = testClock()
const { server, owner, team, create } = await openWorkshop({ clock })
const oven = await create('oven')
beforeEach(async () => {
  await server.app.database.read.deleteFrom('devices').execute()
})

const params = () => ({ teamId: team.id })

const add = async (name = 'Press') => owner.client.call('device.create', { body: { name, type: 'Pi', team: team.id } })
const report = async (device: Awaited<ReturnType<typeof add>>, state?: string) =>
  send(server.address, 'POST', `/api/v1/devices/${device.id}/live/state`, {
    headers: { authorization: `Bearer ${device.credentials.token}` },
    body: { snapshot: null, ...(state === undefined ? {} : { state }) },
  })
const read = async (deviceId: string) => owner.client.call('device.get', { params: { deviceId } })
const list = async (query: Record<string, string> = {}) =>
  owner.client.call('device.listOfTeam', { params: params(), query })
const charts = async () => owner.client.call('device.chartsOfTeam', { params: params() })

describe('a silent device', () => {
  test('[DEV-41] is offline after 90 s, however it was; what it said last is kept beside', async () => {
    const device = await add()
    expect(await read(device.id)).toMatchObject({ status: 'offline', lastStatus: null, lastSeenAt: null })
    await report(device, 'running')
    clock.turn(89_999)
    expect(await read(device.id)).toMatchObject({ status: 'running', lastStatus: 'running', lastSeenMs: 89_999 })
    clock.turn(1)
    const silent = { status: 'offline', lastStatus: 'running', lastSeenMs: 90_000, lastSeenAt: expect.any(String) }
    expect(await read(device.id)).toMatchObject(silent)
    await owner.client.call('device.update', { params: { deviceId: device.id }, body: { instance: oven.id } })
    const ofInstance = await owner.client.call('device.listOfInstance', { params: { instanceId: oven.id } })
    expect([(await list()).devices[0], ofInstance.devices[0]]).toMatchObject([silent, silent])
    await report(device, 'running')
    expect(await read(device.id)).toMatchObject({ status: 'running' })
  })

  test('that never said how it does is of unknown status once it called', async () => {
    const device = await add()
    await report(device)
    expect((await read(device.id)).status).toBe('unknown')
  })
})

describe('the charts of a list of devices', () => {
  test('[DEV-05] count every device once, by when it was seen and by how it does', async () => {
    const [error, safe, ...rest] = [await add(), await add(), await add(), await add(), await add(), await add()]
    await add('New')
    await report(error, 'running')
    clock.turn(61_000)
    await report(safe, 'running')
    clock.turn(120_000)
    for (const [at, state] of ['running', 'crashed', 'suspended', 'updating'].entries()) await report(rest[at]!, state)
    expect(await charts()).toEqual({
      lastSeen: { running: 4, safe: 1, error: 1, never: 1 },
      status: { running: 1, safe: 0, stopped: 1, error: 1, offline: 2, never: 1, other: 1 },
    })
    for (const device of [rest[0], safe])
      await owner.client.call('device.update', { params: { deviceId: device.id }, body: { instance: oven.id } })
    expect(await owner.client.call('device.chartsOfInstance', { params: { instanceId: oven.id } })).toMatchObject({
      lastSeen: { running: 1, safe: 1, error: 0, never: 0 },
      status: { running: 1, offline: 1, never: 0 },
    })
  })

  test('[DEV-06] filter the list by what they count, together with a search', async () => {
    const [running, silent, never] = [await add('Press 1'), await add('Press 2'), await add('Oven')]
    await report(silent, 'running')
    clock.turn(200_000)
    await report(running, 'running')
    const names = async (query: Record<string, string>) => {
      const { count, devices } = await list(query)
      expect(count).toBe(devices.length)
      return devices.map(({ id }) => id)
    }
    expect(await names({ status: 'running' })).toEqual([running.id])
    expect(await names({ status: 'offline' })).toEqual([silent.id])
    expect(await names({ status: 'never' })).toEqual([never.id])
    expect(await names({ seen: 'error' })).toEqual([silent.id])
    expect(await names({ seen: 'never', query: 'press' })).toEqual([])
    expect(await names({ seen: 'running', query: 'press' })).toEqual([running.id])
    expect(
      (
        await send(server.address, 'GET', `/api/v1/teams/${team.id}/devices?status=odd`, {
          headers: { cookie: owner.cookie },
        })
      ).status,
    ).toBe(400)
  })

  test('[DEV-42] tell the badges of 89 s, 120 s, 180 s and 181 s apart as the badges do', async () => {
    const device = await add()
    const bar = async () => Object.entries((await charts()).lastSeen).find(([, n]) => n === 1)?.[0]
    const seen = [await bar()]
    await report(device, 'running')
    for (const ms of [89_000, 31_000, 60_000, 1_000]) {
      clock.turn(ms)
      seen.push(await bar())
    }
    expect(seen).toEqual(['never', 'running', 'safe', 'safe', 'error'])
  })

  test('and a page of the list are read in few queries, however many there are', async () => {
    const { credentials: _shown, ...one } = await add()
    const row = await server.app.database.read
      .selectFrom('devices')
      .selectAll()
      .where('id', '=', one.id)
      .executeTakeFirstOrThrow()
    const many = Array.from({ length: 300 }, (_, n) => ({ ...row, id: `many-${n}`, token_hash: `many-${n}` }))
    await server.app.database.read.insertInto('devices').values(many).execute()
    const worst = async (path: string, call: () => Promise<unknown>) => {
      server.queries.worst.clear()
      await call()
      return server.queries.worst.get(`GET /api/v1/teams/:teamId/devices${path}`)
    }
    expect(await worst('/charts', charts)).toBeLessThanOrEqual(4)
    expect(await worst('', async () => list({ limit: '30', status: 'never' }))).toBeLessThanOrEqual(5)
  })
})

describe('many devices at once', () => {
  const assign = async (devices: string[], instance: string | null) =>
    owner.client.call('device.assignMany', { params: params(), body: { devices, instance } })
  const log = async (limit: number) =>
    (await owner.client.call('team.auditLog', { params: params(), query: { limit } })).log

  test('are assigned and removed by one call, each with its entries; what is not of the team is named', async () => {
    const stranger = await server.build.user()
    const other = await server.build.team(stranger)
    const foreign = await stranger.client.call('device.create', { body: { name: 'X', type: '', team: other.id } })
    const ids = [(await add('One')).id, (await add('Two')).id]
    const { done, refused } = await assign([...ids, ids[0]!, foreign.id, 'unknown'], oven.id)
    expect(done).toEqual(ids)
    expect(refused).toEqual(
      [foreign.id, 'unknown'].map((id) => ({
        id,
        code: 'not_found',
        error: expect.stringContaining('no such device'),
      })),
    )
    expect((await list()).devices.map(({ instance }) => instance?.id)).toEqual([oven.id, oven.id])
    expect((await log(2)).map(({ event, body }) => [event, body])).toMatchObject([
      ['team.device.assigned', { device: { name: 'Two' }, project: { id: oven.id } }],
      ['team.device.assigned', { device: { name: 'One' }, project: { id: oven.id } }],
    ])
    expect((await assign(ids, null)).done).toEqual(ids)
    expect((await list()).devices.map(({ instance }) => instance)).toEqual([undefined, undefined])
    expect((await log(1))[0]).toMatchObject({ event: 'team.device.unassigned' })
  })

  test('are not assigned to an instance of another team', async () => {
    const { id } = await add()
    const answer = await send(server.address, 'PUT', `/api/v1/teams/${team.id}/devices/bulk`, {
      headers: { cookie: owner.cookie },
      body: { devices: [id], instance: 'unknown' },
    })
    expect([answer.status, answer.json.code]).toEqual([400, 'invalid_instance'])
    expect((await read(id)).instance).toBeUndefined()
  })

  test('are deleted by one call, at most 200', async () => {
    const [one, two, kept] = [await add('One'), await add('Two'), await add('Kept')]
    const remove = async (devices: string[]) =>
      owner.client.call('device.deleteMany', { params: params(), body: { devices } })
    expect(await remove([one.id, two.id])).toEqual({ done: [one.id, two.id], refused: [] })
    expect((await list()).devices.map(({ id }) => id)).toEqual([kept.id])
    expect((await log(2)).map(({ event }) => event)).toEqual(['team.device.deleted', 'team.device.deleted'])
    expect((await report(one, 'running')).status).toBe(401)
    await expect(remove(Array.from({ length: 201 }, (_, n) => `d${n}`))).rejects.toMatchObject({ status: 400 })
  })
})

describe('a one-time code', () => {
  /** As agents of release 4 send it. */
  const setUp = async (code: string) =>
    send(server.address, 'POST', '/api/v1/devices/', {
      headers: { authorization: `Bearer ${Buffer.from(code).toString('base64')}` },
      body: { setup: true, agentHost: 'press-7' },
    })
  const live = async (token: string, id: string) =>
    (
      await send(server.address, 'GET', `/api/v1/devices/${id}/live/state`, {
        headers: { authorization: `Bearer ${token}` },
      })
    ).status

  test('[API-128] fetches new credentials for its device once, and the former stop working', async () => {
    const { id, credentials } = await add()
    const probe = await send(server.address, 'GET', '/api/v1/settings/')
    expect(probe.status).toBe(200)
    const { status, json } = await setUp(credentials.otc!)
    const fresh = json.credentials as { token: string; otc?: string }
    expect([status, json.id, fresh.otc]).toEqual([200, id, undefined])
    expect(await Promise.all([credentials.token, fresh.token].map(async (token) => live(token, id)))).toEqual([
      401, 200,
    ])
    expect((await setUp(credentials.otc!)).status).toBe(401)
    expect(await live(fresh.token, id)).toBe(200)
    const [entry] = (await owner.client.call('team.auditLog', { params: params(), query: { limit: 1 } })).log
    expect(entry).toMatchObject({
      event: 'team.device.credentials-generated',
      trigger: { name: 'one-time code' },
      body: { device: { id } },
    })
  })

  test('ends after a day, with the next one, and with its device', async () => {
    const { id, credentials } = await add()
    const next = await owner.client.call('device.generateCredentials', { params: { deviceId: id } })
    expect((await setUp(credentials.otc!)).status).toBe(401)
    await owner.client.call('device.delete', { params: { deviceId: id } })
    expect((await setUp(next.otc!)).status).toBe(404)
    const late = await add()
    clock.turn(24 * 3_600_000)
    expect((await setUp(late.credentials.otc!)).status).toBe(401)
  })

  test('is for nothing else, and setting up needs one', async () => {
    const { credentials } = await add()
    const headers = { authorization: `Bearer ${Buffer.from(credentials.otc!).toString('base64')}` }
    expect((await send(server.address, 'GET', `/api/v1/teams/${team.id}/devices`, { headers })).status).toBe(403)
    const answer = await send(server.address, 'POST', '/api/v1/devices', {
      headers: { cookie: owner.cookie },
      body: { setup: true, team: team.id },
    })
    expect(answer.status).toBe(401)
  })
})
