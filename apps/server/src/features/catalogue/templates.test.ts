import { defaultTemplatePolicy, defaultTemplateSettings } from '@app/contract'
import { beforeEach, expect, test } from 'vitest'
import { clientWith, openWorkshop, until } from '../../../testing/index.ts'

let name: string
let serial = 0
const { server, admin, owner, application } = await openWorkshop()
const choice = await server.build.choice()
beforeEach(() => void (name = `Template ${(serial += 1)}`))

type Body = { settings?: unknown; policy?: unknown; [key: string]: unknown }
const create = (body: Body = {}) => admin.client.call('template.create', { body: { name, ...body } })
const update = (templateId: string, body: Body) =>
  admin.client.call('template.update', { params: { templateId }, body })
const get = (templateId: string) => admin.client.call('template.get', { params: { templateId } })
const remove = (templateId: string) => admin.client.call('template.delete', { params: { templateId } })
const instanceOf = (template: string) =>
  owner.client.call('instance.create', {
    body: { name: `made-${(serial += 1)}`, applicationId: application.id, ...choice, template },
  })
const instance = (instanceId: string) => owner.client.call('instance.get', { params: { instanceId } })
const save = (instanceId: string, settings: object) =>
  owner.client.call('instance.update', { params: { instanceId }, body: { settings } })
/** The settings a running instance receives. */
async function given(one: Awaited<ReturnType<typeof instanceOf>>) {
  // A start makes a token of its own.
  await until(
    () => instance(one.id),
    ({ meta }) => meta.state === 'running',
  )
  const token = await server.build.instanceToken(one)
  const client = clientWith(server.address, 'authorization', `Bearer ${token}`)
  return client.call('runtime.settings', { params: { instanceId: one.id } })
}
const lastEvent = async () => {
  const entries = server.app.database.read.selectFrom('audit_log').select(['event', 'body']).orderBy('id', 'desc')
  const { event, body } = await entries.limit(1).executeTakeFirstOrThrow()
  return { event, body: JSON.parse(body) as object }
}

test('[ATPL-24] a new template is empty and active, and names who made it', async () => {
  const summary = await create()
  expect(summary).toMatchObject({
    name,
    active: true,
    description: '',
    instanceCount: 0,
    revision: 1,
    owner: { id: admin.id, username: admin.username, avatar: expect.any(String) },
  })
  const template = await get(summary.id)
  expect(template).toEqual({ ...summary, settings: defaultTemplateSettings, policy: defaultTemplatePolicy })
  expect(await lastEvent()).toEqual({ event: 'platform.template.created', body: { info: { id: summary.id, name } } })
  expect(await owner.client.call('template.get', { params: { templateId: summary.id } })).not.toHaveProperty('owner')
})

test('[ATPL-29] [ATPL-30] [ATPL-31] a new template has the defaults', async () => {
  const { settings } = await get((await create()).id)
  expect(settings).toMatchObject({
    disableEditor: false,
    disableTours: false,
    httpAdminRoot: '',
    dashboardUI: '/ui',
    codeEditor: 'monaco',
    theme: 'forge-light',
    timeZone: 'UTC',
    page: { title: 'FlowForge', favicon: '' },
    header: { title: 'FlowForge', url: '' },
    palette: { allowInstall: true, modules: [], nodesExcludes: '', denyList: [] },
    modules: { allowInstall: true, denyList: [] },
    httpNodeAuth: { type: 'none', user: '', pass: false },
    env: [],
  })
})

test('[ATPL-28] [ATPL-32] [ATPL-33] a new template has a flag for every setting, which lets instances change it or not', async () => {
  const { settings, policy } = await get((await create()).id)
  /** The keys of a tree by their flat names, with what stands there. */
  const flat = (tree: object, prefix = ''): [string, unknown][] =>
    Object.entries(tree).flatMap(([key, value]): [string, unknown][] =>
      typeof value === 'object' && !Array.isArray(value)
        ? flat(value as object, `${prefix}${key}_`)
        : [[`${prefix}${key}`, value]],
    )
  const flags = Object.fromEntries(flat(policy))
  // Variables have a flag each.
  for (const [key] of flat(settings).filter(([key]) => key !== 'env'))
    expect([key, typeof flags[key]]).toEqual([key, 'boolean'])
  for (const key of [
    'disableEditor disableTours httpAdminRoot dashboardUI codeEditor theme header_title timeZone palette_allowInstall',
    'palette_modules modules_allowInstall httpNodeAuth_type httpNodeAuth_user httpNodeAuth_pass',
  ].flatMap((keys) => keys.split(' ')))
    expect([key, flags[key]]).toEqual([key, true])
  for (const key of [
    'page_title',
    'page_favicon',
    'header_url',
    'palette_nodesExcludes',
    'palette_denyList',
    'modules_denyList',
  ])
    expect([key, flags[key]]).toEqual([key, false])
})

test('[API-61] [ATPL-25] [ATPL-27] every setting and flag is saved by its flat name and read back; a password is not', async () => {
  const settings = {
    disableEditor: true,
    disableTours: true,
    httpAdminRoot: '/admin',
    dashboardUI: '/dash',
    codeEditor: 'ace',
    theme: 'forge-dark',
    timeZone: 'Europe/Berlin',
    page_title: 'Bakery',
    page_favicon: 'bun.ico',
    header_title: 'Ovens',
    header_url: 'https://example.com',
    palette_allowInstall: false,
    palette_nodesExcludes: '90-exec.js, 89-x.js',
    palette_denyList: 'foo@^0.1.0, @scope/*',
    palette_modules: [{ name: 'node-red-dashboard', version: '3.x' }],
    modules_allowInstall: false,
    modules_denyList: 'bar',
    httpNodeAuth_type: 'basic',
    httpNodeAuth_user: 'baker',
    httpNodeAuth_pass: 'flour',
    env: [
      { name: 'OPEN', value: '1' },
      { name: 'FIXED', value: '2', policy: false },
    ],
  }
  const { id } = await create({
    description: 'All of it',
    active: false,
    settings,
    policy: { page_title: true, theme: false },
  })
  const template = await get(id)
  expect(template).toMatchObject({ name, description: 'All of it', active: false })
  expect(template.settings).toEqual({
    disableEditor: true,
    disableTours: true,
    httpAdminRoot: '/admin',
    dashboardUI: '/dash',
    codeEditor: 'ace',
    theme: 'forge-dark',
    timeZone: 'Europe/Berlin',
    page: { title: 'Bakery', favicon: 'bun.ico' },
    header: { title: 'Ovens', url: 'https://example.com' },
    palette: {
      allowInstall: false,
      installScripts: false,
      nodesExcludes: '90-exec.js, 89-x.js',
      denyList: ['foo@^0.1.0', '@scope/*'],
      modules: [{ name: 'node-red-dashboard', version: '3.x', local: false }],
    },
    modules: { allowInstall: false, denyList: ['bar'] },
    httpNodeAuth: { type: 'basic', user: 'baker', pass: true },
    sleep: defaultTemplateSettings.sleep,
    env: [
      { name: 'OPEN', value: '1', policy: true },
      { name: 'FIXED', value: '2', policy: false },
    ],
  })
  expect(template.policy).toEqual({
    ...defaultTemplatePolicy,
    theme: false,
    page: { ...defaultTemplatePolicy.page, title: true },
  })
})

test('[API-62] [ATPL-26] what a change does not send stays, also what the editor has no field for', async () => {
  const { id } = await create({ settings: { page_title: 'Bakery', theme: 'forge-dark' } })
  const changed = await update(id, {
    name: `${name} again`,
    active: false,
    description: 'New',
    settings: { header_title: 'Ovens' },
    policy: { header_title: false },
  })
  expect(changed).toMatchObject({ name: `${name} again`, active: false, description: 'New', revision: 2 })
  const { settings, policy } = await get(id)
  expect(settings).toMatchObject({
    theme: 'forge-dark',
    page: { title: 'Bakery', favicon: '' },
    header: { title: 'Ovens', url: '' },
  })
  expect(policy).toEqual({ ...defaultTemplatePolicy, header: { title: false, url: false } })
  expect(await lastEvent()).toEqual({
    event: 'platform.template.updated',
    body: {
      info: { id, name: `${name} again` },
      updates: [
        { key: 'name', old: name, new: `${name} again`, dif: 'updated' },
        { key: 'description', old: '', new: 'New', dif: 'updated' },
        { key: 'active', old: true, new: false, dif: 'updated' },
        { key: 'settings.header.title', old: 'FlowForge', new: 'Ovens', dif: 'updated' },
        { key: 'policy.header.title', old: true, new: false, dif: 'updated' },
      ],
    },
  })
  expect((await update(id, { description: 'New' })).revision).toBe(2)
  await update(id, { active: true })
  const one = await instanceOf(id)
  expect((await given(one)).settings).toMatchObject({ page: { title: 'Bakery' }, header: { title: 'Ovens' } })
})

test('the second of two administrators who save the same template is told, and nothing is overwritten', async () => {
  const { id } = await create()
  const { revision } = await get(id)
  await update(id, { revision, settings: { theme: 'forge-dark' } })
  await expect(
    update(id, { revision, settings: { theme: 'forge-light', timeZone: 'Europe/Berlin' } }),
  ).rejects.toMatchObject({
    status: 409,
    code: 'outdated',
    message: `${name} was changed by somebody else since you opened it; nothing was saved`,
  })
  expect((await get(id)).settings).toMatchObject({ theme: 'forge-dark', timeZone: 'UTC' })

  const now = (await get(id)).revision
  const both = await Promise.allSettled(
    ['/a', '/b'].map((httpAdminRoot) => update(id, { revision: now, settings: { httpAdminRoot } })),
  )
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  expect((await get(id)).revision).toBe(now + 1)
})

test.each([
  [{ name: '' }, 'name', 'Required'],
  [{ name: '  ' }, 'name', 'Required'],
  [{ settings: { httpAdminRoot: 'A b' } }, 'settings.httpAdminRoot', 'Must contain only 0-9 a-z _ - /'],
  [{ settings: { dashboardUI: 'A b' } }, 'settings.dashboardUI', 'Must contain only 0-9 a-z _ - /'],
  [{ settings: { codeEditor: 'vi' } }, 'settings.codeEditor', expect.any(String)],
  [{ settings: { theme: 'pink' } }, 'settings.theme', expect.any(String)],
  [{ settings: { httpNodeAuth_type: 'magic' } }, 'settings.httpNodeAuth.type', expect.any(String)],
  [{ settings: { timeZone: 'Mars/Base' } }, 'settings.timeZone', 'Not a time zone'],
  [
    { settings: { palette_nodesExcludes: 'x.py' } },
    'settings.palette.nodesExcludes',
    'Must be a comma-separated list of .js filenames',
  ],
  [
    { settings: { palette_denyList: 'a b' } },
    'settings.palette.denyList.0',
    'Must be a comma-separated list of nodes[@version]',
  ],
  [
    { settings: { modules_denyList: 'a b' } },
    'settings.modules.denyList.0',
    'Must be a comma-separated list of nodes[@version]',
  ],
  [
    { settings: { palette_modules: [{ name: 'A B', version: '*' }] } },
    'settings.palette.modules.0.name',
    'Invalid name',
  ],
  [
    { settings: { palette_modules: [{ name: 'a', version: '?' }] } },
    'settings.palette.modules.0.version',
    'Invalid version',
  ],
  [
    {
      settings: {
        env: [
          { name: 'A', value: '1' },
          { name: 'A', value: '2' },
        ],
      },
    },
    'settings.env',
    'Duplicate name',
  ],
  [
    { settings: { httpNodeAuth_type: 'basic', httpNodeAuth_pass: 'x' } },
    'settings.httpNodeAuth.user',
    'Enter a user name',
  ],
  [
    { settings: { httpNodeAuth_type: 'basic', httpNodeAuth_user: '  ', httpNodeAuth_pass: 'x' } },
    'settings.httpNodeAuth.user',
    'Enter a user name',
  ],
  [
    { settings: { httpNodeAuth_type: 'basic', httpNodeAuth_user: 'a:b', httpNodeAuth_pass: 'x' } },
    'settings.httpNodeAuth.user',
    'Must not contain a colon',
  ],
  [
    { settings: { httpNodeAuth_type: 'basic', httpNodeAuth_user: 'x' } },
    'settings.httpNodeAuth.pass',
    'Enter a password',
  ],
  [{ policy: { theme: 'yes' } }, 'policy.theme', expect.any(String)],
  [{ policy: { nonsense: true } }, 'policy', expect.any(String)],
  [{ source: 'none' }, 'source', expect.any(String)],
])('[ATPL-20] [ATPL-21] [ATPL-34] [ATPL-35] %j is refused, naming the setting', async (body: Body, field, message) => {
  await expect(create(body)).rejects.toMatchObject({ status: 400, fields: { [field]: message } })
})

test('a name that is taken is refused on its field', async () => {
  await create()
  await expect(create()).rejects.toMatchObject({
    status: 409,
    code: 'invalid_name',
    fields: { name: expect.any(String) },
  })
})

test('[ATPL-14] [ATPL-34] each code editor, theme and sign-in can be chosen', async () => {
  const basic = { httpNodeAuth_user: 'baker', httpNodeAuth_pass: 'flour' }
  for (const [codeEditor, theme, type] of [
    ['monaco', 'forge-light', 'none'],
    ['ace', 'forge-dark', 'basic'],
    ['monaco', 'forge-light', 'flowforge-user'],
  ] as const) {
    const settings = { codeEditor, theme, httpNodeAuth_type: type, ...(type === 'basic' ? basic : {}) }
    name = `${name}+`
    const { id } = await create({ settings })
    expect((await get(id)).settings).toMatchObject({ codeEditor, theme, httpNodeAuth: { type } })
  }
})

test('[ATPL-22] user and password of the addresses go with their type, and the password is kept as a hash', async () => {
  const basic = { httpNodeAuth_type: 'basic', httpNodeAuth_user: 'baker', httpNodeAuth_pass: 'flour' }
  const { id } = await create({ settings: basic })
  const stored = async () =>
    JSON.parse(
      (
        await server.app.database.read
          .selectFrom('templates')
          .select('settings')
          .where('id', '=', id)
          .executeTakeFirstOrThrow()
      ).settings,
    ) as { httpNodeAuth: { pass: string } }
  const { pass } = (await stored()).httpNodeAuth
  expect(pass).toMatch(/^\$2/)
  await update(id, { settings: { ...basic, httpNodeAuth_user: 'miller', httpNodeAuth_pass: true } })
  expect((await stored()).httpNodeAuth).toEqual({ type: 'basic', user: 'miller', pass })
  await update(id, { settings: { httpNodeAuth_type: 'none' } })
  expect((await stored()).httpNodeAuth).toEqual({ type: 'none', user: '', pass: false })
})

test('a setting that a template locks is followed by its instances, and their owners cannot change it', async () => {
  const { id } = await create({
    settings: { theme: 'forge-dark', env: [{ name: 'FIXED', value: 'template', policy: false }] },
    policy: { theme: false },
  })
  const one = await instanceOf(id)
  expect((await instance(one.id)).template.policy).toMatchObject({ theme: false, timeZone: true })
  await expect(save(one.id, { theme: 'forge-light' })).rejects.toMatchObject({
    status: 400,
    fields: { 'settings.theme': 'The template of this instance decides this setting' },
  })
  await expect(save(one.id, { env: [{ name: 'FIXED', value: 'mine' }] })).rejects.toMatchObject({ status: 400 })
  await save(one.id, { timeZone: 'Europe/Berlin' })
  expect((await given(one)).settings).toMatchObject({ theme: 'forge-dark', timeZone: 'Europe/Berlin' })
  // Locked later, it is the template's again.
  await update(id, { policy: { timeZone: false } })
  expect((await given(one)).settings).toMatchObject({ timeZone: 'UTC' })
})

test('a secret of a template reaches its instances and nobody’s screen, also by way of a copy', async () => {
  const secret = { name: 'API_KEY', value: 'x-1', encrypted: true }
  const { id } = await create({ settings: { env: [secret] }, policy: { theme: false } })
  const first = name
  const copy = await admin.client.call('template.create', { body: { name: `${first} copy`, source: id } })
  expect(await get(copy.id)).toMatchObject({ policy: { theme: false }, instanceCount: 0 })
  for (const template of [id, copy.id]) {
    expect((await get(template)).settings.env).toEqual([{ ...secret, value: '', policy: true }])
    const one = await instanceOf(template)
    expect((await given(one)).env).toMatchObject({ API_KEY: 'x-1' })
    expect(JSON.stringify(await instance(one.id))).not.toContain('x-1')
    // A variable of the same name of one's own wins.
    await save(one.id, { env: [{ ...secret, value: 'own' }] })
    expect((await given(one)).env).toMatchObject({ API_KEY: 'own' })
  }
  await update(id, { settings: { env: [{ ...secret, value: '' }] } })
  expect((await given(await instanceOf(id))).env).toMatchObject({ API_KEY: 'x-1' })
  const { body } = await lastEvent()
  expect(JSON.stringify(body)).not.toContain('x-1')
  await update(id, { settings: { env: [] } })
  expect((await get(id)).settings.env).toEqual([])
  const rows = await server.app.database.read.selectFrom('templates').select('settings').execute()
  expect(JSON.stringify(rows)).not.toContain('x-1')
})

test('[ATPL-17] other default modules are for new instances alone', async () => {
  const { id } = await create({ settings: { palette_modules: [{ name: 'first', version: '1.0.0' }] } })
  const before = await instanceOf(id)
  await update(id, { settings: { palette_modules: [{ name: 'second', version: '2.0.0' }] } })
  const after = await instanceOf(id)
  const modulesOf = async (one: { id: string }) =>
    (await instance(one.id)).settings.palette?.modules?.map((module) => module.name)
  expect([await modulesOf(before), await modulesOf(after)]).toEqual([['first'], ['second']])
  await update(id, { policy: { palette_modules: false } })
  expect(await modulesOf(before)).toEqual(['first'])
})

test('[API-60] [ATPL-06] a template is deleted unless instances have it', async () => {
  const { id } = await create()
  expect(await remove(id)).toEqual({ status: 'okay' })
  expect(await lastEvent()).toEqual({ event: 'platform.template.deleted', body: { info: { id, name } } })
  await expect(remove(id)).rejects.toMatchObject({ status: 404 })
  await expect(update(id, {})).rejects.toMatchObject({ status: 404 })
  const used = (await create()).id
  await instanceOf(used)
  await expect(remove(used)).rejects.toMatchObject({
    status: 400,
    code: 'invalid_request',
    message: 'You cannot delete a template that is still being used by instances.',
  })
  expect((await get(used)).instanceCount).toBe(1)
})

test('an inactive template cannot be chosen for a new instance', async () => {
  const { id } = await create({ active: false })
  await expect(instanceOf(id)).rejects.toMatchObject({ status: 400, code: 'invalid_template' })
})

test('[ATPL-02] [API-58] a text finds templates by name, description, who made them and id; pages follow each other', async () => {
  const find = async (query: string, more: object = {}) =>
    admin.client.call('template.list', { query: { query, ...more } })
  const { id } = await create({ description: 'Für Öfen und Brot' })
  for (const text of [name.toUpperCase(), 'und brot', id])
    expect((await find(text)).templates.map((one) => one.id)).toEqual([id])
  const made = await find(admin.username.toUpperCase())
  expect(made.templates.map((one) => one.id)).toContain(id)
  expect(made.templates.map((one) => one.id)).not.toContain(choice.template)
  expect(await find('no such thing')).toMatchObject({ count: 0, templates: [] })
  const first = await find(admin.username, { limit: 2 })
  const second = await find(admin.username, { limit: 2, cursor: first.meta.next_cursor! })
  expect([...first.templates, ...second.templates]).toEqual(made.templates.slice(0, 4))
  expect(first.count).toBe(made.count)
})

test('[PERM-16] [PERM-68] everybody reads templates, only administrators make, change and delete them', async () => {
  const { client } = owner
  const params = { templateId: choice.template }
  expect((await client.call('template.list')).templates.length).toBeGreaterThan(0)
  expect((await client.call('template.get', { params })).settings).toBeDefined()
  for (const call of [
    () => client.call('template.create', { body: { name } }),
    () => client.call('template.update', { params, body: { name } }),
    () => client.call('template.delete', { params }),
  ])
    await expect(call()).rejects.toMatchObject({ status: 403 })
})
