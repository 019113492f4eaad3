import { roles } from '@app/contract'
import { describe, expect, test } from 'vitest'
import { openWorkshop, send, testClock } from '../../../testing/index.ts'

const clock = testClock()
const { server, owner, team, create } = await openWorkshop({ clock })
const oven = await create('oven')

type Wish = { name?: string; instance?: string | null; expiresAt?: string | null; expiryAt?: string | null }
const params = () => ({ teamId: team.id })
const make = async (wish: Wish = {}) =>
  owner.client.call('provisioning.create', { params: params(), body: { name: 'Line 3', ...wish } })
const list = async () => (await owner.client.call('provisioning.list', { params: params() })).tokens
const raw = async (method: string, path = '', body?: unknown, user = owner) =>
  send(server.address, method, `/api/v1/teams/${team.id}/devices/provisioning${path}`, {
    headers: { cookie: user.cookie },
    body,
  })
const teamLog = async (limit = 1) =>
  (await owner.client.call('team.auditLog', { params: params(), query: { limit } })).log
const devices = async (query: Record<string, string> = {}) =>
  (await owner.client.call('device.listOfTeam', { params: params(), query })).devices

/** The call with which agents of both releases register. */
const register = async (token: string, body: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
  send(server.address, 'POST', '/api/v1/devices', {
    headers: { authorization: `Bearer ${token}`, ...headers },
    body: { name: 'press-7 (00:1b:44:11:3a:b7)', type: 'Auto Provisioned [Line 3]', team: team.id, ...body },
  })

describe('a provisioning token', () => {
  test('[API-121] [PROV-07] [PROV-08] [PROV-09] is shown once, when it is made', async () => {
    const expiresAt = new Date(clock.now() + 3_600_000).toISOString()
    const { token, ...made } = await make({ instance: oven.id, expiryAt: expiresAt })
    expect(token).toMatch(/^ffadp_[\w-]{43}$/)
    expect(made).toEqual({
      id: expect.any(String),
      name: 'Line 3',
      team: team.id,
      instance: oven.id,
      instanceName: 'oven',
      expiresAt,
      expiryAt: expiresAt,
      createdAt: expect.any(String),
      uses: 0,
      lastUsedAt: null,
    })
    expect((await list())[0]).toEqual(made)
    const { status, text } = await raw('GET')
    expect([status, text.includes(token)]).toEqual([200, false])
    expect(await teamLog()).toMatchObject([
      {
        event: 'team.device.provisioning.created',
        body: { info: { tokenId: made.id, tokenName: 'Line 3' }, project: { id: oven.id } },
      },
    ])
    const rows = await server.app.database.read.selectFrom('provisioning_tokens').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain(token)
  })

  test('[API-120] [PROV-07] is listed page by page, newest first, and names the snapshot its devices run', async () => {
    await make({ name: 'Older' })
    await make({ name: 'Newer', instance: oven.id })
    const { id } = await owner.client.call('snapshot.create', {
      params: { instanceId: oven.id },
      body: { name: 'Good', setAsTarget: true },
    })
    const first = await owner.client.call('provisioning.list', { params: params(), query: { limit: 1 } })
    expect(first.tokens).toMatchObject([{ name: 'Newer', instanceName: 'oven', targetSnapshot: 'Good' }])
    const cursor = first.meta.next_cursor!
    const second = await owner.client.call('provisioning.list', { params: params(), query: { limit: 1, cursor } })
    expect([second.tokens[0]?.name, second.count]).toEqual(['Older', first.count])
    await owner.client.call('device.setTarget', { params: { instanceId: oven.id }, body: { targetSnapshot: null } })
    await owner.client.call('snapshot.delete', { params: { instanceId: oven.id, snapshotId: id } })
  })

  test.each([
    [{ name: '' }, 'name'],
    [{ name: 'x'.repeat(80) }, 'name'],
    [{ name: 'a.b' }, 'name'],
    [{ name: 'x', instance: 'unknown' }, 'instance'],
    [{ name: 'x', expiresAt: '2020-01-01T00:00:00.000Z' }, 'expiryAt'],
    [{ name: 'x', expiryAt: 'soon' }, 'expiryAt'],
  ])('[PROV-04] [PROV-08] is refused as %j, naming the field', async (body, field) => {
    const before = (await list()).length
    const { status, json } = await raw('POST', '', body)
    expect([status, json.code, Object.keys(json.fields as object)]).toEqual([400, 'invalid_request', [field]])
    expect(json.error).toContain(field)
    expect((await list()).length).toBe(before)
  })

  test('[PROV-04] may have a name of 79 characters', async () => {
    const name = `${'x'.repeat(75)}-_ 9`
    expect((await make({ name })).name).toBe(name)
  })

  test('[API-122] [PROV-05] [PROV-08] gets another instance and expiry; its name stays', async () => {
    const { id } = await make({ instance: oven.id })
    const expiresAt = new Date(clock.now() + 60_000).toISOString()
    const changed = await raw('PUT', `/${id}`, { name: 'Other', instance: '', expiresAt })
    expect(changed.json).toMatchObject({ id, name: 'Line 3', expiresAt, expiryAt: expiresAt })
    expect(changed.json).not.toHaveProperty('instance')
    expect(changed.json).not.toHaveProperty('token')
    expect(await teamLog()).toMatchObject([
      {
        event: 'team.device.provisioning.updated',
        body: { info: { tokenId: id }, updates: [{ key: 'instance' }, { key: 'expiresAt', new: expiresAt }] },
      },
    ])
    expect((await raw('PUT', `/${id}`, { instance: oven.id, expiryAt: null })).json).toMatchObject({
      instance: oven.id,
      expiresAt: null,
      expiryAt: null,
    })
  })

  test('[API-123] that is revoked is gone, and registers nothing from then on', async () => {
    const { id, token } = await make()
    const { json } = await register(token)
    expect((await raw('DELETE', `/${id}`)).json).toEqual({ status: 'okay' })
    expect((await list()).map((one) => one.id)).not.toContain(id)
    expect((await register(token)).status).toBe(401)
    expect((await raw('DELETE', `/${id}`)).status).toBe(404)
    expect(await teamLog()).toMatchObject([
      { event: 'team.device.provisioning.deleted', body: { info: { tokenId: id } } },
    ])
    // Its devices stay.
    expect((await owner.client.call('device.get', { params: { deviceId: String(json.id) } })).id).toBe(json.id)
  })

  test('[PROV-03] of a team is for its owners; nobody reaches it by another team', async () => {
    const { id } = await make()
    const member = await server.build.member(team, roles.member)
    for (const [method, path, body] of [
      ['GET', ''],
      ['POST', '', { name: 'x' }],
      ['PUT', `/${id}`, { expiresAt: null }],
      ['DELETE', `/${id}`],
    ] as const)
      expect((await raw(method, path, body, member)).status).toBe(403)
    const stranger = await server.build.user()
    const other = await server.build.team(stranger)
    const path = `/api/v1/teams/${other.id}/devices/provisioning/${id}`
    for (const method of ['PUT', 'DELETE'])
      expect(
        (await send(server.address, method, path, { headers: { cookie: stranger.cookie }, body: {} })).status,
      ).toBe(404)
    expect((await list()).some((one) => one.id === id)).toBe(true)
  })
})

describe('an agent with a provisioning token', () => {
  test('[PROV-01] [PROV-12] registers its device, which needs no person', async () => {
    const { token, id } = await make()
    const { status, json } = await register(token)
    expect(status).toBe(200)
    const { credentials, ...device } = json as {
      id: string
      name: string
      type: string
      credentials: { token: string; credentialSecret: string }
    }
    expect(credentials).toEqual({
      token: expect.stringMatching(/^ffd_/),
      credentialSecret: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    expect(device).toMatchObject({
      name: 'press-7 (00:1b:44:11:3a:b7)',
      type: 'Auto Provisioned [Line 3]',
      team: { id: team.id },
      status: 'offline',
    })
    expect(await teamLog()).toMatchObject([
      {
        event: 'team.device.created',
        trigger: { id, type: 'system', name: 'provisioning token “Line 3”' },
        body: { device: { id: device.id }, info: { tokenId: id, tokenName: 'Line 3' } },
      },
    ])
    const live = await send(server.address, 'GET', `/api/v1/devices/${device.id}/live/state`, {
      headers: { authorization: `Bearer ${credentials.token}` },
    })
    expect([live.status, live.json]).toMatchObject([200, { project: null, snapshot: null, mode: 'autonomous' }])
    const { name, type } = device
    const without = await send(server.address, 'POST', '/api/v1/devices', { body: { name, type, team: team.id } })
    expect([without.status, (await register('ffadp_unknown')).status]).toEqual([401, 401])
  })

  test('[PROV-17] whose token names an instance goes from there to the snapshot it runs', async () => {
    const { token } = await make({ instance: oven.id })
    const { id: snapshot } = await owner.client.call('snapshot.create', {
      params: { instanceId: oven.id },
      body: { name: 'Good', setAsTarget: true },
    })
    const { json } = await register(token)
    const { id, credentials, instance, targetSnapshot } = json as {
      id: string
      credentials: { token: string }
      instance: { id: string }
      targetSnapshot: { id: string }
    }
    expect([instance.id, targetSnapshot.id]).toEqual([oven.id, snapshot])
    expect((await teamLog(2)).map(({ event }) => event)).toEqual(['team.device.assigned', 'team.device.created'])
    const live = async (method: string, path: string, body?: unknown) =>
      send(server.address, method, `/api/v1/devices/${id}/live/${path}`, {
        headers: { authorization: `Bearer ${credentials.token}` },
        body,
      })
    const first = await live('POST', 'state', {
      project: null,
      snapshot: null,
      settings: null,
      state: 'provisioning',
      mode: 'autonomous',
      health: { uptime: 1, snapshotRestartCount: 0 },
      agentVersion: '1.9.4',
    })
    expect([first.status, first.json]).toMatchObject([409, { error: 'incorrect-project', project: oven.id, snapshot }])
    expect((await live('GET', 'snapshot')).json).toMatchObject({ id: snapshot, name: 'Good' })
    const { hash } = (await live('GET', 'settings')).json
    const now = { project: oven.id, snapshot, settings: hash, state: 'running', agentVersion: '1.9.4' }
    expect(await live('POST', 'state', now)).toMatchObject({ status: 200, json: {} })
    expect(await owner.client.call('device.get', { params: { deviceId: id } })).toMatchObject({
      status: 'running',
      activeSnapshot: { id: snapshot },
    })
  })

  test('is counted by its token, which shows what it registered', async () => {
    const { id, token } = await make({ name: 'Counted' })
    const made = [await register(token), await register(token, { name: 'press-8' })].map(({ json }) => json.id)
    const find = async () => (await list()).find((one) => one.id === id)
    expect(await find()).toMatchObject({ uses: 2, lastUsedAt: expect.any(String) })
    expect((await devices({ registeredBy: id })).map((device) => device.id)).toEqual(made)
    await owner.client.call('device.delete', { params: { deviceId: String(made[0]) } })
    expect([(await find())?.uses, (await devices({ registeredBy: id })).length]).toEqual([2, 1])
  })

  test('is told 401 once its token has expired, and for another team than that of the token', async () => {
    const { token } = await make({ expiresAt: new Date(clock.now() + 60_000).toISOString() })
    const stranger = await server.build.user()
    const other = await server.build.team(stranger)
    expect((await register(token, { team: other.id })).status).toBe(401)
    expect((await register(token, { team: 'unknown' })).status).toBe(401)
    expect((await register(token)).status).toBe(200)
    clock.turn(60_000)
    expect((await register(token)).status).toBe(401)
    const { count } = await stranger.client.call('device.listOfTeam', { params: { teamId: other.id } })
    expect(count).toBe(0)
  })

  test('registers nothing for an instance that is gone', async () => {
    const { id: instanceId } = await create('brief')
    const { token, id } = await make({ instance: instanceId })
    const removed = { deleted_at: clock.now() }
    await server.app.database.read.updateTable('instances').set(removed).where('id', '=', instanceId).execute()
    expect(await register(token)).toMatchObject({ status: 400, json: { code: 'invalid_instance' } })
    const shown = (await list()).find((one) => one.id === id)
    expect([shown?.instance, shown?.instanceName, shown?.uses]).toEqual([instanceId, undefined, 0])
  })

  test('cannot choose its name, so one that is too long is cut', async () => {
    const { token } = await make()
    const type = `Auto Provisioned [${'x'.repeat(79)}]`
    const { status, json } = await register(token, { name: `${'h'.repeat(64)} (00:1b:44:11:3a:b7)`, type })
    expect([status, json.name, json.type]).toEqual([
      200,
      `${'h'.repeat(64)} (00:1b:44:11:3a:b7)`.slice(0, 80),
      type.slice(0, 80),
    ])
    expect((await register(token, { name: undefined })).json.name).toBe('Device')
  })

  test('opens nothing else with it', async () => {
    const { token } = await make()
    const headers = { authorization: `Bearer ${token}` }
    const answers = await Promise.all(
      ['/api/v1/user', `/api/v1/teams/${team.id}/devices`, `/api/v1/projects/${oven.id}`].map(
        async (path) => (await send(server.address, 'GET', path, { headers })).status,
      ),
    )
    expect(answers).toEqual([403, 403, 403])
  })

  test('that guesses is made to wait, and others behind its address are not', async () => {
    const { token } = await make()
    clock.turn(60_000)
    for (let guess = 0; guess < 30; guess += 1) expect((await register(`ffadp_${guess}`)).status).toBe(401)
    const answer = await register('ffadp_x')
    expect([answer.status, answer.json.code]).toEqual([429, 'too_many_requests'])
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await register(token)).status).toBe(200)
    clock.turn(60_000)
    expect((await register('ffadp_x')).status).toBe(401)
  })
})
