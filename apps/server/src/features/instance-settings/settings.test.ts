import { type EnvEntry, type Instance, roles } from '@app/contract'
import { beforeAll, describe, expect, test } from 'vitest'
import { instanceCalls, openWorkshop, send, type TestUser } from '../../../testing/index.ts'

let member: TestUser

const { server, owner, team, application } = await openWorkshop()
beforeAll(async () => {
  member = await server.build.member(team, roles.member)
})

const { create, running, read, log, inState, settled } = instanceCalls(() => ({ server, owner, application }))

const put = async (id: string, body: unknown, who = owner) =>
  send(server.address, 'PUT', `/api/v1/projects/${id}`, { headers: { cookie: who.cookie }, body })
/** The settings the instance itself receives when it starts. */
async function told(instance: Instance) {
  // A start makes other tokens.
  await inState(instance.id, 'running')
  const authorization = `Bearer ${await server.build.instanceToken(instance)}`
  const { json } = await send(server.address, 'GET', `/api/v1/projects/${instance.id}/settings`, {
    headers: { authorization },
  })
  return json as { env: Record<string, string>; settings: Record<string, Record<string, unknown>> }
}
/** Changes what the template allows, as an administrator's edit of it will. */
async function policy(id: string, change: (policy: Record<string, unknown>) => void) {
  const { database } = server.app
  const { template } = await read(id)
  const row = await database.read
    .selectFrom('templates')
    .selectAll()
    .where('id', '=', template.id)
    .executeTakeFirstOrThrow()
  const changed = JSON.parse(row.policy) as Record<string, unknown>
  change(changed)
  await database.transact(async (tx) => {
    await tx
      .updateTable('templates')
      .set({ policy: JSON.stringify(changed) })
      .where('id', '=', template.id)
      .execute()
  })
  return async () =>
    database.transact(async (tx) => {
      await tx.updateTable('templates').set({ policy: row.policy }).where('id', '=', template.id).execute()
    })
}
const own = (env: EnvEntry[] | undefined) => (env ?? []).filter(({ platform }) => !platform)

/** Settings with these modules, each a name and a version. */
const modules = (...named: [name: string, version: string][]) => ({
  palette: { modules: named.map(([name, version]) => ({ name, version })) },
})

describe('settings', () => {
  test('[ISET-14] an owner changes what the template leaves open, and the instance is told', async () => {
    const instance = await create()
    const settings = { timeZone: 'Europe/Berlin', codeEditor: 'ace', header: { title: 'Bakery' } }
    expect((await put(instance.id, { settings })).status).toBe(200)
    expect((await read(instance.id)).settings).toMatchObject({ ...settings, theme: 'forge-light' })
    expect((await told(instance)).settings).toMatchObject(settings)
    const [entry] = (await log(instance.id)).filter(({ event }) => event === 'project.settings.updated')
    expect(entry?.body).toMatchObject({
      updates: expect.arrayContaining([{ key: 'timeZone', old: 'UTC', new: 'Europe/Berlin', dif: 'updated' }]),
    })
  })

  test('what several change at once is all kept, also while the instance tells of its modules', async () => {
    const instance = await create()
    await inState(instance.id, 'running')
    const authorization = `Bearer ${await server.build.instanceToken(instance)}`
    const tell = (version: string) =>
      send(server.address, 'POST', `/storage/${instance.id}/settings`, {
        headers: { authorization },
        body: { nodes: { 'node-red-node-random': { version, local: true } } },
      })
    const changed = await Promise.all([
      put(instance.id, { settings: { timeZone: 'Europe/Berlin' } }),
      tell('0.4.1'),
      put(instance.id, { settings: { codeEditor: 'ace' } }),
      tell('0.4.2'),
      put(instance.id, { settings: { header: { title: 'Bakery' } } }),
      put(instance.id, { settings: { theme: 'forge-dark' } }),
    ])
    expect(changed.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200])
    expect((await read(instance.id)).settings).toMatchObject({
      timeZone: 'Europe/Berlin',
      codeEditor: 'ace',
      header: { title: 'Bakery' },
      theme: 'forge-dark',
      palette: { modules: [{ name: 'node-red-node-random' }] },
    })
  })

  test('[ISET-13] a locked setting is refused by name, and nothing else of the call is kept', async () => {
    const instance = await create()
    const answer = await put(instance.id, { settings: { theme: 'forge-dark', page: { title: 'Mine' } } })
    expect([answer.status, answer.json.code, Object.keys(answer.json.fields as object)]).toEqual([
      400,
      'invalid_request',
      ['settings.page.title'],
    ])
    expect((await read(instance.id)).settings.theme).toBe('forge-light')
  })

  test('a setting that equals the template follows the template again', async () => {
    const instance = await create()
    await put(instance.id, { settings: { theme: 'forge-dark' } })
    await put(instance.id, { settings: { theme: 'forge-light' } })
    const row = await server.app.database.read
      .selectFrom('instances')
      .select('settings')
      .where('id', '=', instance.id)
      .executeTakeFirstOrThrow()
    expect(JSON.parse(row.settings)).toEqual({})
  })

  test('the flat names of forms mean the same', async () => {
    const instance = await create()
    await put(instance.id, { settings: { palette_allowInstall: false, header_title: 'Flat' } })
    const { settings } = await read(instance.id)
    expect([settings.palette?.allowInstall, settings.header?.title]).toEqual([false, 'Flat'])
  })

  test.each([
    ['[ATPL-21]', { httpAdminRoot: 'A b' }, 'httpAdminRoot', 'Must contain only 0-9 a-z _ - /'],
    ['[ATPL-21]', { dashboardUI: 'A b' }, 'dashboardUI', 'Must contain only 0-9 a-z _ - /'],
    ['[ATPL-35]', { timeZone: 'Mars/Olympus' }, 'timeZone', 'Not a time zone'],
    ['[PAL-05]', modules(['Foo', '*']), 'palette.modules.0.name', 'Invalid name'],
    ['[PAL-07]', modules(['@flowforge/nr-project-nodes', '*']), 'palette.modules.0.name', 'Invalid name'],
    ['[PAL-07]', modules(['@flowfuse/nr-project-nodes', '*']), 'palette.modules.0.name', 'Invalid name'],
    ['[PAL-08]', modules(['foo', '*'], ['foo', '1.x']), 'palette.modules', 'Duplicate name'],
    ['[PAL-10]', modules(['foo', 'abc']), 'palette.modules.0.version', 'Invalid version'],
    [
      '[PAL-12]',
      { palette_nodesExcludes: 'a.txt' },
      'palette.nodesExcludes',
      'Must be a comma-separated list of .js filenames',
    ],
    [
      '[PAL-13]',
      { palette_denyList: 'foo bar' },
      'palette.denyList.0',
      'Must be a comma-separated list of nodes[@version]',
    ],
    [
      '[ENV-04]',
      {
        env: [
          { name: 'A', value: '1' },
          { name: 'A', value: '2' },
        ],
      },
      'env',
      'Duplicate name',
    ],
    [
      '',
      { env: [{ name: 'KEY', value: 'rye-42', hidden: true }] },
      'env.0',
      'A variable has no “hidden”; a secret is marked with “encrypted”',
    ],
  ])('%s %j is refused at its field', async (_, settings, field, text) => {
    const instance = await create()
    const answer = await put(instance.id, { settings })
    expect([answer.status, answer.json.fields]).toEqual([400, { [`settings.${field}`]: text }])
  })

  test.each(['*', '1.2.3', '^1.2.3', '~1.2.3', '1.x'])('[PAL-10] %s is a version', async (version) => {
    const instance = await create()
    const modules = [{ name: '@s/a-b.c_d~e', version }]
    expect((await put(instance.id, { settings: { palette: { modules } } })).status).toBe(200)
    expect((await read(instance.id)).settings.palette?.modules).toEqual([{ ...modules[0], local: false }])
  })
})

describe('the sign-in of addresses of flows', () => {
  const auth = (user?: string, pass?: unknown, type = 'basic') => ({ settings: { httpNodeAuth: { type, user, pass } } })

  test('[ATPL-27] a password is kept as a hash, told only to the instance, and kept by true', async () => {
    const instance = await create()
    expect((await put(instance.id, auth('baker', 'sourdough'))).json.settings).toMatchObject({
      httpNodeAuth: { type: 'basic', user: 'baker', pass: true },
    })
    const { pass } = (await told(instance)).settings.httpNodeAuth!
    expect(pass).toMatch(/^\$2[aby]\$\d\d\$.{53}$/)
    await put(instance.id, auth('miller', true))
    expect((await told(instance)).settings.httpNodeAuth).toEqual({ type: 'basic', user: 'miller', pass })
    expect(JSON.stringify(await log(instance.id))).not.toContain('$2')
  })

  test('[ISET-11] [ATPL-22] name and password go with any other type', async () => {
    const instance = await create()
    await put(instance.id, auth('baker', 'sourdough'))
    await put(instance.id, auth('baker', true, 'none'))
    expect((await read(instance.id)).settings.httpNodeAuth).toEqual({ type: 'none', user: '', pass: false })
  })

  test.each([
    [auth('', 'x'), 'settings.httpNodeAuth.user'],
    [auth('baker', ''), 'settings.httpNodeAuth.pass'],
  ])('[ISET-12] what is missing is named: %j', async (body, field) => {
    const instance = await create()
    const answer = await put(instance.id, body)
    expect([answer.status, Object.keys(answer.json.fields as object)]).toEqual([400, [field]])
  })
})

describe('variables', () => {
  test('[ENV-01] [ENV-15] platform variables come first; posted ones of their kind, blank and broken names are dropped', async () => {
    const instance = await create()
    const env = [
      { name: 'FF_INSTANCE_ID', value: 'forged' },
      { name: 'FF_OTHER', value: 'x' },
      { name: 'A B', value: 'x' },
      { name: '', value: 'x' },
      { name: 'SITE', value: 'bakery' },
    ]
    await put(instance.id, { settings: { env } })
    const shown = (await read(instance.id)).settings.env
    expect(shown?.slice(0, 4).map(({ name, platform, deprecated }) => [name, platform, deprecated])).toEqual([
      ['FF_INSTANCE_ID', true, undefined],
      ['FF_INSTANCE_NAME', true, undefined],
      ['FF_PROJECT_ID', true, true],
      ['FF_PROJECT_NAME', true, true],
    ])
    expect(own(shown)).toEqual([{ name: 'SITE', value: 'bakery' }])
    expect((await told(instance)).env).toEqual({
      FF_INSTANCE_ID: instance.id,
      FF_INSTANCE_NAME: instance.name,
      FF_PROJECT_ID: instance.id,
      FF_PROJECT_NAME: instance.name,
      SITE: 'bakery',
    })
  })

  test.each([
    'NODE_OPTIONS',
    'LD_PRELOAD',
    'LD_LIBRARY_PATH',
    'npm_config_registry',
    'NPM_CONFIG_PREFIX',
    'PATH',
    'HOME',
    '__proto__',
  ])('a variable that changes how programs start is refused: %s', async (name) => {
    const instance = await create()
    const before = (await read(instance.id)).settings.env
    const env = [
      { name: 'SITE', value: 'bakery' },
      { name, value: 'x' },
    ]
    const answer = await put(instance.id, { settings: { env } })
    expect(answer).toMatchObject({
      status: 400,
      json: { fields: { 'settings.env': expect.stringContaining(`${name}: not allowed as a name`) } },
    })
    expect((await read(instance.id)).settings.env).toEqual(before)
  })

  test('[ENV-01] [ENV-15] a secret is for the flow alone: sealed in the database, blank to people, kept when sent blank', async () => {
    const instance = await create()
    await put(instance.id, { settings: { env: [{ name: 'KEY', value: 'rye-42', encrypted: true }] } })
    await put(instance.id, { settings: { env: [{ name: 'KEY', value: '', encrypted: true }] } })
    expect(own((await read(instance.id)).settings.env)).toEqual([{ name: 'KEY', value: '', encrypted: true }])
    expect((await told(instance)).env.KEY).toBe('rye-42')
    const rows = await server.app.database.read.selectFrom('instances').select('settings').execute()
    expect(JSON.stringify([rows, await log(instance.id)])).not.toContain('rye-42')
  })

  test('[ENV-14] [ISET-09] [PERM-50] a member sends variables and nothing else, and is told less', async () => {
    const instance = await create()
    const answer = await put(instance.id, { settings: { env: [{ name: 'A', value: '1' }] } }, member)
    expect(answer.status).toBe(200)
    expect(Object.keys(answer.json).sort()).toEqual([
      'createdAt',
      'id',
      'links',
      'meta',
      'name',
      'projectType',
      'settings',
      'stack',
      'team',
      'updatedAt',
      'url',
    ])
    expect(Object.keys(answer.json.settings as object)).toEqual(['env'])
    for (const body of [
      { settings: { env: [], timeZone: 'UTC' } },
      { settings: { env: [] }, stack: instance.stack.id },
      { settings: { theme: 'forge-dark' } },
      {},
    ])
      expect((await put(instance.id, body, member)).status).toBe(403)
    expect(own((await read(instance.id)).settings.env)).toEqual([{ name: 'A', value: '1' }])
  })

  test('[ENV-01] [ENV-11] a variable that the template locks stays as it is there', async () => {
    const instance = await create()
    const { database } = server.app
    const { template } = await read(instance.id)
    const row = await database.read
      .selectFrom('templates')
      .select('settings')
      .where('id', '=', template.id)
      .executeTakeFirstOrThrow()
    const settings = JSON.parse(row.settings) as { env: EnvEntry[] }
    settings.env = [
      { name: 'PLANT', value: 'north', policy: false },
      { name: 'LINE', value: 'one', policy: true },
    ]
    await database.transact(async (tx) => {
      await tx
        .updateTable('templates')
        .set({ settings: JSON.stringify(settings) })
        .where('id', '=', template.id)
        .execute()
    })
    expect((await put(instance.id, { settings: { env: [{ name: 'PLANT', value: 'south' }] } })).status).toBe(400)
    const sent = [
      { name: 'PLANT', value: 'north' },
      { name: 'LINE', value: 'two' },
    ]
    expect((await put(instance.id, { settings: { env: sent } })).status).toBe(200)
    expect(own((await read(instance.id)).settings.env)).toEqual([
      { name: 'PLANT', value: 'north', policy: false },
      { name: 'LINE', value: 'two', policy: true },
    ])
    await database.transact(async (tx) => {
      await tx.updateTable('templates').set({ settings: row.settings }).where('id', '=', template.id).execute()
    })
  })
})

test('[API-73] [API-76] one instance is read by its id, and settings alone change nothing else', async () => {
  const before = await running()
  expect(before).toMatchObject({ id: before.id, name: before.name, meta: { state: 'running' } })
  const unknown = await send(server.address, 'GET', '/api/v1/projects/none', { headers: { cookie: owner.cookie } })
  expect(unknown).toMatchObject({ status: 404, json: { code: 'not_found' } })
  await put(before.id, { settings: { header: { title: 'Oven' } } })
  const { settings, updatedAt: _changed, ...after } = await read(before.id)
  const { settings: former, updatedAt: _before, ...rest } = before
  expect(after).toEqual({ ...rest, meta: { ...rest.meta, notInForce: { settings: true } } })
  expect(settings).toEqual({ ...former, header: { ...former.header, title: 'Oven' } })
})

describe('another stack', () => {
  async function otherStack(instance: Instance): Promise<string> {
    const { stacks } = await owner.client.call('stack.list', { query: { filter: 'active' } })
    return stacks.find(({ id }) => id !== instance.stack.id)!.id
  }

  test('[ISET-09] a running instance is restarted on it, a suspended one takes it with its next start', async () => {
    const instance = await running()
    const stack = await otherStack(instance)
    expect((await put(instance.id, { stack })).json).toEqual({})
    await settled(instance.id)
    expect((await inState(instance.id, 'running')).stack.id).toBe(stack)
    expect((await log(instance.id)).map(({ event }) => event)).toContain('project.stack.changed')
    await owner.client.call('instance.suspend', { params: { instanceId: instance.id } })
    await inState(instance.id, 'suspended')
    await put(instance.id, { stack: instance.stack.id })
    await settled(instance.id)
    const after = await read(instance.id)
    expect([after.meta.state, after.stack.id]).toEqual(['suspended', instance.stack.id])
  })

  test('another type brings a stack of its own along', async () => {
    const instance = await create()
    const { database } = server.app
    const [type, stack] = await Promise.all([
      database.read.selectFrom('instance_types').selectAll().executeTakeFirstOrThrow(),
      database.read.selectFrom('stacks').selectAll().executeTakeFirstOrThrow(),
    ])
    await database.transact(async (tx) => {
      await tx
        .insertInto('instance_types')
        .values({ ...type, id: 'large', name: 'Large' })
        .execute()
      await tx
        .insertInto('stacks')
        .values({ ...stack, id: 'roomy', name: 'roomy', type_id: 'large' })
        .execute()
    })
    await inState(instance.id, 'running')
    expect((await put(instance.id, { projectType: 'large', stack: 'roomy' })).json).toEqual({})
    await settled(instance.id)
    const after = await inState(instance.id, 'running')
    expect([after.projectType.name, after.stack.id]).toEqual(['Large', 'roomy'])
    expect((await log(instance.id)).map(({ event }) => event)).toEqual(
      expect.arrayContaining(['project.type.changed', 'project.stack.changed']),
    )
    expect((await put(instance.id, { projectType: 'large', stack: instance.stack.id })).json.code).toBe('invalid_stack')
  })

  test('[API-77] the full definition, with its team, stores the type, the stack and the settings that it names', async () => {
    const { id } = await running()
    await owner.client.call('instance.suspend', { params: { instanceId: id } })
    const instance = await inState(id, 'suspended')
    const wanted = { projectType: instance.projectType.id, stack: await otherStack(instance) }
    const { id: teamId } = instance.team
    const definition = { ...instance, ...wanted, team: teamId, settings: { header: { title: 'Oven' } } }
    expect((await put(id, definition)).json).toEqual({})
    await settled(id)
    const after = await read(id)
    expect([after.projectType.id, after.stack.id, after.team.id]).toEqual([wanted.projectType, wanted.stack, teamId])
    expect([after.name, after.settings.header]).toEqual([instance.name, { title: 'Oven', url: '' }])
  })

  test('a type wants a stack of its own, and both have to exist', async () => {
    const instance = await create()
    const codes = [
      { projectType: instance.projectType.id },
      { stack: 'none' },
      { projectType: 'none', stack: instance.stack.id },
    ]
    const answers = await Promise.all(codes.map(async (body) => (await put(instance.id, body)).json.code))
    expect(answers).toEqual(['invalid_request', 'invalid_stack', 'invalid_project_type'])
  })
})

test('a policy that opens a setting lets the owner change it', async () => {
  const instance = await create()
  const back = await policy(instance.id, (all) => (all.page = { title: true, favicon: false }))
  expect((await put(instance.id, { settings: { page: { title: 'Mine' } } })).status).toBe(200)
  expect((await told(instance)).settings.page).toMatchObject({ title: 'Mine' })
  await back()
})

describe('modules that are installed in the editor', () => {
  const noted = (names: Record<string, object>) => ({
    nodes: { 'node-red': { name: 'node-red', version: '5.0.7', local: false, nodes: {} }, ...names },
  })
  const module = (name: string, version = '1.2.3') => ({
    [name]: { name, version, local: true, user: true, nodes: {} },
  })
  async function note(instance: Instance, body: object) {
    await inState(instance.id, 'running')
    const headers = { authorization: `Bearer ${await server.build.instanceToken(instance)}` }
    const { status } = await send(server.address, 'POST', `/storage/${instance.id}/settings`, { headers, body })
    expect(status).toBe(200)
    return (await read(instance.id)).settings.palette?.modules
  }

  test('are remembered for the next start, and forgotten when they are removed there', async () => {
    const instance = await create()
    await put(instance.id, { settings: { palette: { modules: [{ name: 'asked', version: '^2.0.0' }] } } })
    const asked = { name: 'asked', version: '^2.0.0', local: false }
    const both = [asked, { name: 'found', version: '1.2.3', local: true }]
    expect(await note(instance, noted({ ...module('asked', '2.1.0'), ...module('found') }))).toEqual(both)
    expect((await told(instance)).settings.palette?.modules).toEqual({ asked: '^2.0.0', found: '1.2.3' })
    expect(await note(instance, noted(module('asked', '2.1.0')))).toEqual([asked])
  })

  test.each([noted({ 'Not a name': { version: '1.0.0', local: true } }), { nodes: 'x' }, {}])(
    'what Node-RED would not note changes nothing: %j',
    async (body) => {
      expect(await note(await create(), body)).toEqual([])
    },
  )
})
