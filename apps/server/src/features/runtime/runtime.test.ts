import { auditLabel, type Instance, limits } from '@app/contract'
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { openPlatform, send, testClock, until } from '../../../testing/index.ts'

const clock = testClock()
let instance: Instance
let token: string

const { server, owner, team } = await openPlatform({ clock })
beforeAll(async () => {
  instance = await running('oven-line')
  token = await server.build.instanceToken(instance)
})

async function running(name: string): Promise<Instance> {
  const application = await server.build.application(owner, team)
  const { id } = await server.build.instance(owner, application, name)
  return inState(id, 'running')
}
const inState = (id: string, state: string) =>
  until(
    async () => owner.client.call('instance.get', { params: { instanceId: id } }),
    ({ meta }) => meta.state === state,
  )

const as = (bearer: string) => ({ authorization: `Bearer ${bearer}` })
const get = (path: string, bearer = token) => send(server.address, 'GET', path, { headers: as(bearer) })
const post = (path: string, body: unknown, bearer = token) =>
  send(server.address, 'POST', path, { headers: as(bearer), body })
const log = async (id = instance.id) =>
  (await owner.client.call('instance.auditLog', { params: { instanceId: id } })).log

test('an instance that writes without end is held for the rest of the minute; others and what it reads go on', async () => {
  const busy = await running('busy-line')
  const own = await server.build.instanceToken(busy)
  const report = () => post(`/logging/${busy.id}/audit`, { event: 'auth.login' }, own)
  clock.turn(60_000 - (clock.now() % 60_000))
  for (let n = 0; n < 300; n += 50) {
    const answers = await Promise.all(Array.from({ length: 50 }, report))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  }
  for (const refused of [await report(), await post(`/storage/${busy.id}/flows`, [], own)]) {
    expect(refused).toMatchObject({
      status: 429,
      json: { code: 'too_many_requests', error: 'This instance writes too often: at most 300 times a minute' },
    })
    expect(refused.headers.get('retry-after')).toBe('60')
  }
  expect((await get(`/storage/${busy.id}/flows`, own)).status).toBe(200)
  expect((await post(`/logging/${instance.id}/audit`, { event: 'auth.login' })).status).toBe(200)
  clock.turn(60_000)
  expect((await report()).status).toBe(200)
})

describe('who may call', () => {
  const calls = (id: string): [method: string, path: string, body?: unknown][] => [
    ['GET', `/api/v1/projects/${id}/settings`],
    ['POST', `/logging/${id}/audit`, { event: 'flows.set' }],
    ['GET', `/storage/${id}/flows`],
    ['POST', `/storage/${id}/flows`, []],
    ...['credentials', 'settings', 'sessions'].flatMap((kind): [string, string, unknown?][] => [
      ['GET', `/storage/${id}/${kind}`],
      ['POST', `/storage/${id}/${kind}`, {}],
    ]),
  ]

  test('the token of another instance gets 404, a person and nobody 401', async () => {
    const other = await running('other-line')
    const theirs = await server.build.instanceToken(other)
    for (const [method, path, body] of calls(instance.id)) {
      const status = async (headers: Record<string, string>) =>
        (await send(server.address, method, path, { headers, body })).status
      expect([
        path,
        await status(as(theirs)),
        await status({ cookie: owner.cookie }),
        await status({}),
        await status(as('fft_wrong')),
      ]).toEqual([path, 404, 401, 401, 401])
    }
    expect((await get(`/storage/${instance.id}/elsewhere`)).status).toBe(404)
  })

  test('each start makes a new token and a new OAuth client, and the old ones stop working', async () => {
    const made = await running('restarted-line')
    const clientIds = () =>
      server.app.database.read
        .selectFrom('instances')
        .select('client_id')
        .where('id', '=', made.id)
        .executeTakeFirstOrThrow()
    const before = await clientIds()
    const old = await server.build.instanceToken(made)
    expect((await get(`/storage/${made.id}/flows`, old)).status).toBe(200)
    await owner.client.call('instance.restart', { params: { instanceId: made.id } })
    await inState(made.id, 'running')
    expect((await get(`/storage/${made.id}/flows`, old)).status).toBe(401)
    expect(await clientIds()).not.toEqual(before)
  })

  test('a service that keeps files asks whose token it was given: 200 for its owner, 401 for every other', async () => {
    const other = await running('checked-line')
    const path = (type: string, id: string) => `/account/check/${type}/${id}`
    const own = await get(path('project', instance.id))
    expect([own.status, own.text]).toEqual([200, ''])
    const wrong = await Promise.all([
      get(path('project', other.id)),
      get(path('device', instance.id)),
      get(path('project', 'nobody')),
      get(path('project', instance.id), await server.build.instanceToken(other)),
      get(path('project', instance.id), 'fft_wrong'),
      send(server.address, 'GET', path('project', instance.id), { headers: { cookie: owner.cookie } }),
      send(server.address, 'GET', path('user', owner.id), { headers: { cookie: owner.cookie } }),
      send(server.address, 'GET', path('project', instance.id)),
    ])
    expect(wrong.map(({ status, json }) => [status, json.code])).toEqual(wrong.map(() => [401, 'unauthorized']))
  })

  test('the token lists the instances of its team by id and name alone', async () => {
    const list = await get(`/api/v1/teams/${team.id}/projects`)
    expect(list.status).toBe(200)
    const projects = list.json.projects as Record<string, unknown>[]
    expect(projects.map((one) => Object.keys(one).sort().join())).toEqual(projects.map(() => 'id,name'))
    expect(projects).toContainEqual({ id: instance.id, name: 'oven-line' })
    const stranger = await server.build.user()
    const elsewhere = await server.build.team(stranger)
    expect((await get(`/api/v1/teams/${elsewhere.id}/projects`)).status).toBe(404)
  })
})

describe('settings', () => {
  const settings = async (id = instance.id, bearer = token) =>
    (await get(`/api/v1/projects/${id}/settings`, bearer)).json

  test('hold what a launcher needs', async () => {
    const { baseUrl } = server.config
    expect(await settings()).toEqual({
      projectID: instance.id,
      rootDir: '.',
      userDir: instance.id,
      port: 1880,
      env: {
        FF_INSTANCE_ID: instance.id,
        FF_INSTANCE_NAME: 'oven-line',
        FF_PROJECT_ID: instance.id,
        FF_PROJECT_NAME: 'oven-line',
      },
      baseURL: instance.url,
      forgeURL: baseUrl,
      fileStore: null,
      teamID: team.id,
      storageURL: `${baseUrl}/storage`,
      auditURL: `${baseUrl}/logging`,
      contextMb: 16,
      state: 'running',
      stack: { nodered: '5.0.7', memory: 256 },
      settings: expect.objectContaining({
        dashboardUI: '/ui',
        httpAdminRoot: '',
        palette: expect.objectContaining({ modules: {}, allowInstall: true }) as object,
      }) as object,
      features: { 'shared-library': true, projectComms: false },
    })
  })

  test('own values count only where the policy of the template lets them, and the platform has the last word', async () => {
    const made = await running('policy-line')
    const bearer = await server.build.instanceToken(made)
    const { read } = server.app.database
    const template = await read.selectFrom('templates').selectAll().executeTakeFirstOrThrow()
    const env = (name: string, value: string, policy?: boolean) => ({
      name,
      value,
      ...(policy === undefined ? {} : { policy }),
    })
    await read
      .updateTable('templates')
      .set({
        settings: JSON.stringify({
          ...(JSON.parse(template.settings) as object),
          env: [env('FIXED', 'template', false), env('OPEN', 'template', true), env('KEPT', 'template')],
        }),
      })
      .execute()
    await read
      .updateTable('instances')
      .set({
        settings: JSON.stringify({
          dashboardUI: '/board',
          header: { title: 'Ovens', url: 'http://evil.example' },
          page: { title: 'Mine' },
          palette: { denyList: ['own'], modules: [{ name: 'node-red-dashboard', version: '~3.6.0', local: false }] },
          env: [env('FIXED', 'own'), env('OPEN', 'own'), env('ADDED', 'own'), env('FF_INSTANCE_ID', 'forged')],
        }),
      })
      .where('id', '=', made.id)
      .execute()

    const answer = await settings(made.id, bearer)
    await read.updateTable('templates').set({ settings: template.settings }).execute()
    expect(answer.env).toMatchObject({
      FIXED: 'template',
      OPEN: 'own',
      KEPT: 'template',
      ADDED: 'own',
      FF_INSTANCE_ID: made.id,
    })
    expect(answer.settings).toMatchObject({
      dashboardUI: '/board',
      header: { title: 'Ovens', url: '' },
      page: { title: 'FlowForge' },
      palette: { denyList: [], modules: { 'node-red-dashboard': '~3.6.0' } },
    })
    expect(answer.settings).not.toHaveProperty('env')
  })

  test('a suspended instance is refused; one that is being started reads what it shall become', async () => {
    const made = await running('sleeper')
    await owner.client.call('instance.suspend', { params: { instanceId: made.id } })
    await inState(made.id, 'suspended')
    const bearer = await server.build.instanceToken(made)
    const refused = await get(`/api/v1/projects/${made.id}/settings`, bearer)
    expect([refused.status, refused.json.code]).toEqual([400, 'project_suspended'])

    const { read } = server.app.database
    const during = (wanted: 'suspended' | 'stopped', in_flight: string | null) =>
      read
        .updateTable('instances')
        .set({ wanted, in_flight, in_flight_until: clock.now() + 60_000 })
        .where('id', '=', made.id)
        .execute()
    for (const wanted of ['suspended', 'stopped'] as const) {
      await during(wanted, 'starting')
      expect((await settings(made.id, bearer)).state).toBe('running')
    }
    await during('suspended', 'stopping')
    expect((await get(`/api/v1/projects/${made.id}/settings`, bearer)).status).toBe(400)
    await during('stopped', null)
    expect((await settings(made.id, bearer)).state).toBe('stopped')
    await during('suspended', null)
  })
})

describe('storage', () => {
  test.each(['flows', 'credentials', 'settings', 'sessions'])(
    '%s: empty at first, echoed, kept, replaced',
    async (kind) => {
      const path = `/storage/${instance.id}/${kind}`
      const [empty, first, second] =
        kind === 'flows'
          ? [[], [{ id: 'a', type: 'tab', label: 'Ö „x“ \u2028', z: null, wires: [['b']], n: 1.5 }], [{ id: 'b' }]]
          : [{}, { $: 'abc', nodes: { x: { list: [1, null, 'ö'], on: false } } }, { $: 'def' }]
      expect((await get(path)).json).toEqual(empty)
      for (const value of [first, second]) {
        const saved = await post(path, value)
        expect([saved.status, saved.json]).toEqual([200, value])
        expect((await get(path)).json).toEqual(value)
      }
    },
  )

  test('what is stored belongs to one instance', async () => {
    const made = await running('neighbour')
    await post(`/storage/${instance.id}/credentials`, { $: 'mine' })
    expect((await get(`/storage/${made.id}/credentials`, await server.build.instanceToken(made))).json).toEqual({})
  })

  test('a body of the wrong shape is refused and changes nothing', async () => {
    await post(`/storage/${instance.id}/flows`, [{ id: 'kept' }])
    for (const body of [{}, ['text'], 'null', '[', '"x"']) {
      const answer = await post(`/storage/${instance.id}/flows`, body)
      expect([body, answer.status, answer.json.code]).toEqual([body, 400, 'invalid_request'])
    }
    for (const body of [[], '7']) expect((await post(`/storage/${instance.id}/credentials`, body)).status).toBe(400)
    expect((await get(`/storage/${instance.id}/flows`)).json).toEqual([{ id: 'kept' }])
  })

  test('credentials, settings and sessions are sealed at rest, and the credential secret is', async () => {
    const canary = `canary-${randomBytes(12).toString('hex')}`
    for (const kind of ['credentials', 'settings', 'sessions']) {
      expect((await post(`/storage/${instance.id}/${kind}`, { $: canary, [canary]: 1 })).status).toBe(200)
    }
    await post(`/storage/${instance.id}/flows`, [{ id: `flow-${canary}` }])
    const { read } = server.app.database
    const rows = await read.selectFrom('instance_storage').selectAll().where('instance_id', '=', instance.id).execute()
    expect(
      rows
        .filter(({ kind }) => kind !== 'flows')
        .map(({ body }) => body)
        .join(),
    ).not.toContain(canary)
    expect(rows.find(({ kind }) => kind === 'flows')?.body).toContain(canary)
    // Rows cannot be swapped either: the seal names the place.
    const sealed = rows.find(({ kind }) => kind === 'sessions')!.body
    await read
      .updateTable('instance_storage')
      .set({ body: sealed })
      .where('instance_id', '=', instance.id)
      .where('kind', '=', 'settings')
      .execute()
    const swapped = await get(`/storage/${instance.id}/settings`)
    expect([swapped.status, swapped.text.includes(canary)]).toEqual([500, false])
    expect(server.faults.splice(0)).toHaveLength(1)
    await read
      .deleteFrom('instance_storage')
      .where('instance_id', '=', instance.id)
      .where('kind', '=', 'flows')
      .execute()

    const files = existsSync(join(server.config.home, 'forge.db'))
      ? readdirSync(server.config.home).filter((name) => name.startsWith('forge.db'))
      : []
    for (const name of files) {
      const bytes = readFileSync(join(server.config.home, name)).toString('latin1')
      const plain = bytes.split(canary).length - 1
      // Only the flows, which are not secret, were ever written in the clear.
      expect(plain).toBe(bytes.split(`flow-${canary}`).length - 1)
    }
  })

  test('20 MB of flows go in and out; more than 32 MiB are refused, and what was there stays', async () => {
    const path = `/storage/${instance.id}/flows`
    const node = { id: 'x', type: 'function', func: 'y'.repeat(10_000) }
    const large = JSON.stringify(Array.from({ length: 2_000 }, () => node))
    expect(large.length).toBeGreaterThan(20_000_000)
    const saved = await post(path, large)
    expect([saved.status, saved.text.length]).toEqual([200, large.length])
    expect((await get(path)).text === large).toBe(true)
    const tooLarge = JSON.stringify([{ id: 'x', func: 'y'.repeat(limits.flowsBytes) }])
    const refused = await post(path, tooLarge)
    expect([refused.status, refused.json.code]).toEqual([413, 'too_large'])
    expect((await get(path)).text.length).toBe(large.length)
    await post(path, [])
  })

  test('storing flows sets flowLastUpdatedAt and tells the browsers', async () => {
    const stream = await fetch(`${server.address}/api/v1/events`, { headers: { cookie: owner.cookie } })
    const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader()
    let heard = ''
    const hear = async (part: string) => {
      while (!heard.includes(part)) heard += (await reader.read()).value ?? ''
      heard = heard.slice(heard.indexOf(part) + part.length)
    }
    await hear('event: ready\ndata: {}\n\n')
    clock.turn(5_000)
    await post(`/storage/${instance.id}/flows`, [{ id: 'deployed' }])
    const at = new Date(clock.now()).toISOString()
    await hear('data: ')
    while (!heard.includes('\n\n')) heard += (await reader.read()).value ?? ''
    await reader.cancel()
    expect(JSON.parse(heard)).toMatchObject({
      type: 'instance',
      id: instance.id,
      state: { flowLastUpdatedAt: at },
    })
    expect((await owner.client.call('instance.get', { params: { instanceId: instance.id } })).flowLastUpdatedAt).toBe(
      at,
    )
  })
})

describe('what happened inside Node-RED', () => {
  const report = (body: object) => post(`/logging/${instance.id}/audit`, body)

  test('[AUDIT-13] [AUDIT-20] an event of somebody who has the editor open names that person, and keeps the rest as info', async () => {
    const member = await server.build.member(team, 30)
    const { access: editorToken } = await server.app.database.transact((tx) =>
      server.app.services.tokens.forEditor(tx, member.id, instance.id, '*'),
    )
    const answer = await report({
      event: 'flows.set',
      type: 'full',
      path: '/flows',
      user: member.id,
      timestamp: 1,
      editorToken,
    })
    expect([answer.status, answer.text]).toEqual([200, ''])
    expect((await log())[0]).toMatchObject({
      event: 'flows.set',
      username: member.username,
      trigger: { id: member.id, type: 'user', name: member.username },
      scope: { id: instance.id, type: 'project' },
      body: { info: { type: 'full', path: '/flows' }, project: { id: instance.id, name: 'oven-line' } },
    })
    await report({ event: 'nodes.install', module: 'x', version: '1.0.0', user: { id: member.id }, editorToken })
    expect((await log())[0]).toMatchObject({
      event: 'nodes.install',
      username: member.username,
      body: { info: { module: 'x', version: '1.0.0' } },
    })
  })

  test('a module that was installed or removed is so in the list of the instance, unless that failed', async () => {
    const module = 'node-red-node-ping'
    const listed = async () => {
      const { settings } = await owner.client.call('instance.get', { params: { instanceId: instance.id } })
      return settings.palette?.modules?.filter(({ name }) => name === module)
    }
    const listedAs = (version: string) => [{ name: module, version, local: true }]
    await report({ event: 'nodes.install', module, version: '1.0.0', error: { code: 'E404', error: 'Not found' } })
    for (const odd of [{ module: '../x', version: '1.0.0' }, { module, version: 'x y' }, { module }, { module: 7 }])
      expect((await report({ event: 'nodes.install', ...odd })).status).toBe(200)
    expect(await listed()).toEqual([])
    await report({ event: 'nodes.install', module, version: '1.0.0' })
    expect(await listed()).toEqual(listedAs('~1.0.0'))
    await post(`/storage/${instance.id}/settings`, { nodes: { [module]: { version: '1.0.0', local: true } } })
    await report({ event: 'nodes.install', module, version: '1.0.0' })
    expect(await listed()).toEqual(listedAs('1.0.0'))
    await report({ event: 'nodes.remove', module, error: 'busy' })
    expect(await listed()).toEqual(listedAs('1.0.0'))
    await report({ event: 'nodes.remove', module })
    expect(await listed()).toEqual([])
  })

  test('an instance cannot put the name of somebody outside its team into its log', async () => {
    const stranger = await server.build.user()
    for (const user of [stranger.id, { userId: stranger.id }, 'nobody', 7, null, [], { id: {} }]) {
      expect((await report({ event: 'flows.set', user })).status).toBe(200)
      expect((await log())[0]).toMatchObject({
        username: null,
        trigger: { id: instance.id, type: 'system', name: 'oven-line' },
      })
    }
  })

  test.each(['crashed', 'stopped', 'settings.update', 'flows.set', 'library.set', 'nodes.install'] as const)(
    '[AUDIT-20] %s of an instance leaves an entry, and has a label',
    async (event) => {
      const before = (await log()).length
      expect((await report({ event, module: 'x', version: '1.0.0' })).status).toBe(200)
      const [entry, ...earlier] = await log()
      expect(earlier).toHaveLength(before)
      expect(entry).toMatchObject({ event, scope: { id: instance.id, type: 'project' } })
      expect(auditLabel(event)).not.toBe(event)
    },
  )

  test('[AUDIT-10] start-failed is stored as project.start-failed with its error', async () => {
    await report({ event: 'start-failed', error: { code: 'EACCES', error: 'No access to the folder' } })
    expect((await log())[0]).toMatchObject({
      event: 'project.start-failed',
      body: { error: { code: 'EACCES', message: 'No access to the folder' } },
    })
  })

  test('what is no event, and one that is too large, are refused', async () => {
    for (const event of ['', 7, undefined]) expect((await report({ event })).status).toBe(400)
    expect((await report({ event: 'flows.set', text: 'x'.repeat(70_000) })).status).toBe(413)
  })
})
