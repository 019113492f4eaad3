import { type Instance, roles } from '@app/contract'
import { beforeEach, expect, test } from 'vitest'
import {
  adjust,
  admin,
  ask,
  bringFlows,
  button,
  field,
  helloFlow,
  openEditor,
  openWorkshop,
  screens,
  sees,
  seesDirection,
  shot,
  startInstance,
  until,
  type Visitor,
} from './harness/index.ts'

let visitor: Visitor

const { platform, visitors, owner, team, instance } = await openWorkshop('oven-line')
beforeEach(async () => {
  visitor = await visitors.open(platform(), owner)
})

/** Another instance, for a test after which the first would not be what the others need, with these flows. */
async function another(name: string, flows: object[], credentials?: object): Promise<Instance> {
  const made = await startInstance(owner.client, name, instance.application.id)
  const running = await bringFlows(owner.client, made.id, flows, credentials)
  await until(
    () => ask(platform(), name, '/hello'),
    ({ status }) => status === 200,
    45_000,
  )
  return running
}
const setSite = (value: string) =>
  owner.client.call('instance.update', {
    params: { instanceId: instance.id },
    body: { settings: { env: [{ name: 'SITE', value }] } },
  })

const settings = (page = 'general', { id } = instance) => `/instance/${id}/settings/${page}`
const saved = 'Instance settings successfully updated. NOTE: changes will be applied once the instance is restarted.'
const save = (page: Visitor['page']) => page.getByRole('button', { name: 'Save settings' })

/** Restarts by the notice that a save leaves behind. */
async function restart(page: Visitor['page'], { id } = instance): Promise<void> {
  const before = (await owner.client.call('instance.get', { params: { instanceId: id } })).meta.lastStartTime
  await page.getByRole('button', { name: 'Restart now' }).click()
  await until(
    () => owner.client.call('instance.get', { params: { instanceId: id } }),
    ({ meta }) => meta.state === 'running' && meta.lastStartTime !== before,
    45_000,
  )
  await page.getByRole('button', { name: 'Restart now' }).waitFor({ state: 'detached' })
}

test('[ISET-01] [ISET-03] [ISET-04] [ISET-07] [ISET-08] General names what it is made of, and ends with what is not taken back lightly', async () => {
  const { page } = visitor
  await page.goto(`/instance/${instance.id}/overview`)
  await page.getByRole('link', { name: 'Settings', exact: true }).click()
  await page.waitForURL(`**${settings()}`)
  const menu = page.getByRole('navigation', { name: 'Instance settings' }).getByRole('link')
  expect(await menu.allInnerTexts()).toEqual([
    'General',
    'Environment',
    'High Availability',
    'Editor',
    'Security',
    'Palette',
  ])
  const headings = [
    'Change Instance Stack',
    'Copy Instance',
    'Import Instance',
    'Change Instance Type',
    'Move Instance',
    'Suspend Instance',
    'Delete Instance',
  ]
  const main = page.getByRole('main')
  expect((await main.getByRole('heading').allInnerTexts()).filter((text) => headings.includes(text))).toEqual(headings)
  await sees(screens.heading(page, 'Instance Details'))
  const details = [instance.id, 'oven-line', instance.projectType.name, instance.stack.label, instance.template.name]
  expect(await main.locator('dt').allInnerTexts()).toEqual([
    'Instance ID',
    'Name',
    'Instance Type',
    'Stack',
    'Template',
  ])
  for (const text of details) await sees(main.getByText(text, { exact: true }).first())
  await sees(button(page, 'Change Stack'), page.getByRole('link', { name: 'Change Instance Type' }))
  await shot(page, 'instance-settings-general')
  // By the keyboard alone.
  await page.getByRole('combobox', { name: 'Environment', exact: true }).press('ArrowDown')
  await page.locator('[role=option]:focus').waitFor()
  await page.keyboard.press('End')
  await page.keyboard.press('Enter')
  await sees(screens.toast(page, 'Environment saved.'))
  const { environment } = await owner.client.call('instance.get', { params: { instanceId: instance.id } })
  expect(environment).toBe('production')
  await page.goto(settings('danger'))
  await page.waitForURL(`**${settings('general#danger')}`)
  await sees(screens.heading(page, 'Delete Instance'))
  expect(await screens.heading(page, 'Delete Instance').count()).toBe(1)
  for (const [path, title] of [
    ['environment', 'Environment - oven-line'],
    ['ha', 'Settings - High Availability - oven-line'],
    ['editor', 'Editor Settings - oven-line'],
    ['security', 'Security Settings - oven-line'],
    ['palette', 'Palette - oven-line'],
    ['change-type', 'Instance - Change Type'],
  ] as const) {
    await page.goto(settings(path))
    await expect.poll(() => page.title()).toContain(title)
    expect(new URL(page.url()).pathname).toBe(settings(path))
  }
})

test('[ISET-08] A stack with a successor is updated to it or changed, and without a type neither', async () => {
  const { page } = visitor
  const { stacks } = await owner.client.call('stack.list', { query: {} })
  const next = stacks.find(({ label }) => label !== instance.stack.label)!
  const path = `/api/v1/projects/${instance.id}`
  const buttons = [button(page, 'Update Stack'), button(page, 'Change Stack')]
  await page.goto(settings())
  await sees(buttons[1]!)
  expect(await buttons[0]!.count()).toBe(0)
  await adjust(page, path, (reply) => ({ ...reply, stack: { ...(reply.stack as object), replacedBy: next.id } }))
  await page.reload()
  for (const [n, label] of [next.label, instance.stack.label].entries()) {
    await buttons[n]!.click()
    await expect.poll(() => page.getByRole('dialog').getByRole('combobox').innerText()).toContain(label)
    if (n === 0) await shot(page, 'instance-stack-update')
    await button(page, 'Cancel').click()
  }
  await page.unrouteAll()
  const stack = { ...instance.stack, replacedBy: next.id }
  await adjust(page, path, (reply) => ({ ...reply, stack, projectType: { id: '', name: '' } }))
  await page.reload()
  await sees(...buttons)
  for (const one of buttons) expect(await one.isDisabled()).toBe(true)
})

test('[ISET-15] Each tab has its settings', async () => {
  const { page } = visitor
  const tabs: Record<string, string[]> = {
    editor: [
      'Disable editor',
      'Disable tours',
      'Editor URL path',
      'Dashboard URL path',
      'Code editor',
      'Editor title',
      'Editor theme',
      'Time zone',
      'Allow modules in function nodes',
      'Denied modules',
    ],
    security: ['Sign-in for HTTP endpoints'],
    palette: ['Allow installing nodes', 'Excluded nodes', 'Denied nodes', 'Module', 'Version'],
  }
  for (const [path, labels] of Object.entries(tabs)) {
    await page.goto(settings(path))
    await sees(...labels.map((label) => field(page, label)))
    expect(await page.getByRole('main').locator('label').count()).toBe(labels.length)
  }
  await page.goto(settings('editor'))
  await sees(screens.heading(page, 'External Modules'))
  await page.goto(settings('palette'))
  await sees(screens.heading(page, 'Installed Modules'))
})

test('[ISET-10] [ISET-13] [ISET-14] [ISET-15] [ATPL-21] The editor has the title that was set, after the restart', async () => {
  const { page } = visitor
  await page.goto(settings('editor'))
  expect(await save(page).isDisabled()).toBe(true)
  const path = page.getByLabel('Editor URL path')
  await path.fill('A b')
  await sees(page.getByText('Must contain only 0-9 a-z _ - /'))
  expect(await save(page).isDisabled()).toBe(true)
  await path.fill('')
  // The template keeps this one for itself.
  expect(await page.getByLabel('Denied modules').isDisabled()).toBe(true)
  await page.getByLabel('Editor title').fill('Bakery Nord')
  await shot(page, 'instance-settings-editor')
  await save(page).click()
  await sees(screens.toast(page, saved))
  await restart(page)
  const editor = await openEditor(visitor, () => page.getByRole('link', { name: 'Open Editor' }).first().click())
  await sees(editor.getByText('Bakery Nord').first())
})

/** Says what a flow finds in its environment. */
const environmentFlow = helloFlow.map((node) =>
  'func' in node ? { ...node, func: "msg.payload = env.get('SITE') + ' ' + env.get('KEY'); return msg" } : node,
)

/** The variables of an instance, with the row that adds one. */
async function openVariables(one: Instance) {
  const { page } = visitor
  await page.goto(settings('environment', one))
  await sees(page.getByText('FF_INSTANCE_ID'))
  const add = page.getByRole('button', { name: 'Add', exact: true })
  const [name, value] = [page.getByLabel('New name'), page.getByLabel('New value')]
  return { page, add, name, value }
}

test('[ENV-02] [ENV-03] [ENV-04] [ENV-05] A variable is added with a name that may be, and a value', async () => {
  await setSite('bakery')
  const { page, add, name, value } = await openVariables(instance)
  expect(await add.isDisabled()).toBe(true)
  await value.fill('without a name')
  expect(await add.isDisabled()).toBe(true)
  for (const [text, fault] of [
    ['A B', 'Invalid name'],
    ['FF_X', 'Reserved name'],
    ['SITE', 'Duplicate name'],
  ]) {
    await name.fill(text!)
    await sees(page.getByText(fault!))
    expect(await add.isDisabled()).toBe(true)
  }
  await name.fill('LINE')
  await expect.poll(() => add.isEnabled()).toBe(true)
  await value.fill('')
  await expect.poll(() => add.isDisabled()).toBe(true)
  await value.fill('north')
  await add.click()
  await sees(page.getByLabel('Value of LINE'))
})

test('[ENV-07] [ENV-08] [ENV-09] Variables that are changed and valid can be saved, and are not left behind unasked', async () => {
  await setSite('bakery')
  const { page } = await openVariables(instance)
  const site = page.getByLabel('Value of SITE')
  await expect.poll(() => save(page).isDisabled()).toBe(true)
  await site.fill('mill')
  await expect.poll(() => save(page).isEnabled()).toBe(true)
  // Writing a value and putting it back is no change.
  await site.fill('bakery')
  await expect.poll(() => save(page).isDisabled()).toBe(true)
  await site.fill('mill')
  const first = page.getByRole('textbox', { name: 'Name', exact: true }).first()
  await first.fill('FF_X')
  await sees(page.getByText('Reserved name'))
  expect(await save(page).isDisabled()).toBe(true)
  await first.fill('SITE')
  await expect.poll(() => save(page).isEnabled()).toBe(true)
  await page.getByRole('link', { name: 'Editor', exact: true }).click()
  await sees(page.getByText('You have unsaved changes. Are you sure you want to leave?'))
  await sees(page.getByRole('button', { name: 'Yes, lose changes' }))
  await page.getByRole('button', { name: 'Cancel' }).click()
  await save(page).click()
  await sees(screens.toast(page, saved))
  await expect.poll(() => save(page).isDisabled()).toBe(true)
  await page.reload()
  await expect.poll(() => site.inputValue()).toBe('mill')
})

test('Enter in a one-line field saves, and adds where something is added', async () => {
  await setSite('bakery')
  const { page, name, value } = await openVariables(instance)
  await name.fill('LINE')
  await value.fill('north')
  await value.press('Enter')
  await sees(page.getByLabel('Value of LINE'))
  expect(await save(page).isEnabled()).toBe(true)
  await page.getByLabel('Search variables').press('Enter')
  await page.getByLabel('Value of SITE').fill('mill')
  await page.getByLabel('Value of SITE').press('Enter')
  await sees(screens.toast(page, saved))
  await page.goto(settings('editor'))
  await page.getByLabel('Editor title').fill('Bakery Enter')
  await page.getByLabel('Editor title').press('Enter')
  await sees(screens.toast(page, saved))
  const { settings: now } = await owner.client.call('instance.get', { params: { instanceId: instance.id } })
  expect(now.env?.filter(({ name: of }) => ['SITE', 'LINE'].includes(of)).map(({ value: is }) => is)).toEqual([
    'mill',
    'north',
  ])
  expect(now.header?.title).toBe('Bakery Enter')
})

test('[ENV-15] Secrets and the variables of the platform are protected, and the flow reads them all', async () => {
  const site = await another('site-line', environmentFlow)
  const { page, add, name, value } = await openVariables(site)
  await sees(page.getByRole('button', { name: 'Deprecated variable' }).first())
  await name.fill('SITE')
  await value.fill('bakery')
  await add.click()
  await name.fill('KEY')
  await value.fill('rye-42')
  await page.getByLabel('Secret').click()
  await add.click()
  await shot(page, 'instance-settings-environment')
  await save(page).click()
  await sees(screens.toast(page, saved), page.getByText('encrypted', { exact: true }))
  // The platform's own and a secret keep their names; the platform's own are not removed either.
  const names = page.getByRole('textbox', { name: 'Name', exact: true })
  expect([await names.count(), await names.inputValue()]).toEqual([1, 'SITE'])
  const removable = page.getByRole('button', { name: /^Remove / })
  expect(await removable.evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')))).toEqual([
    'Remove SITE',
    'Remove KEY',
  ])
  await restart(page, site)
  const answer = await until(
    () => ask(platform(), site.name, '/hello'),
    ({ status }) => status === 200,
  )
  expect(answer.body).toBe('bakery rye-42')
  expect(await page.content()).not.toContain('rye-42')
})

test('a .env file brings several at once', async () => {
  const { page } = visitor
  await setSite('bakery')
  await page.goto(settings('environment'))
  await page.getByRole('button', { name: 'Import .env' }).click()
  await page.getByLabel('Or paste it here').fill('export SITE="mill"\nLINE=2 # the second\nSHIFT: late\n')
  await sees(page.getByText('Line 3 holds no variable'))
  await shot(page, 'instance-settings-env-file')
  await page.getByRole('button', { name: 'Import 2' }).click()
  await expect.poll(() => page.getByLabel('Value of SITE').inputValue()).toBe('mill')
  await page.getByRole('button', { name: 'Discard changes' }).click()
  await expect.poll(() => page.getByLabel('Value of SITE').inputValue()).toBe('bakery')
})

/** The palette of the instance, with the row that adds a module. */
async function openPalette() {
  const { page } = visitor
  await page.goto(settings('palette'))
  const [name, version] = ['Module', 'Version'].map((label) => page.getByLabel(label, { exact: true }))
  await sees(name!)
  return { page, name: name!, version: version!, add: page.getByRole('button', { name: 'Add', exact: true }) }
}

test('[PAL-01] The palette has a switch for installing nodes, and two lists of those that are kept out', async () => {
  const { page } = await openPalette()
  const one = await owner.client.call('instance.get', { params: { instanceId: instance.id } })
  const allow = page.getByRole('switch', { name: 'Allow installing nodes' })
  expect(await allow.getAttribute('aria-checked')).toBe(String(one.settings.palette?.allowInstall))
  await sees(field(page, 'Excluded nodes'), field(page, 'Denied nodes'))
})

test('[PAL-05] [PAL-10] [PAL-11] A module is added by a name and a version that may be', async () => {
  const { page, name, version, add } = await openPalette()
  await name.fill('Foo')
  await sees(page.getByText('Invalid name'))
  expect(await add.isDisabled()).toBe(true)
  await name.fill('node-red-node-random')
  await version.fill('abc')
  await sees(page.getByText('Invalid version'))
  expect(await add.isDisabled()).toBe(true)
  await version.fill('')
  expect(await add.isDisabled()).toBe(true)
  await version.fill('*')
  await expect.poll(() => add.isEnabled()).toBe(true)
  await name.fill('')
  expect(await add.isDisabled()).toBe(true)
})

test('[PAL-08] [PAL-09] A module that is there already is refused in the row that names it again', async () => {
  const { page, name, add } = await openPalette()
  await name.fill('node-red-node-random')
  await add.click()
  await name.fill('node-red-node-random')
  await sees(page.getByText('Duplicate name', { exact: true }))
  expect(await add.isDisabled()).toBe(true)
  await name.fill('node-red-node-email')
  await add.click()
  await page.getByRole('textbox', { name: 'Name', exact: true }).last().fill('node-red-node-random')
  await sees(page.getByText('Field has duplicate name', { exact: true }))
  await name.fill('')
  await shot(page, 'instance-settings-palette')
})

test('[ISET-11] [ATPL-27] [ATPL-34] With a user name and a password the addresses of flows ask for them', async () => {
  const { page } = visitor
  const closed = await another('closed-line', helloFlow)
  await page.goto(settings('security', closed))
  await page.getByLabel('Sign-in for HTTP endpoints').click()
  await page.getByRole('option', { name: 'One user name and password' }).click()
  await page.getByLabel('User name').fill('baker')
  await page.getByLabel('Password', { exact: true }).fill('sourdough')
  await shot(page, 'instance-settings-security')
  await save(page).click()
  await sees(screens.toast(page, saved))
  await expect.poll(() => page.getByLabel('Password', { exact: true }).getAttribute('placeholder')).toMatch(/^•+$/)
  // From the moment it is saved nobody is let in without, and that needs no restart.
  expect((await ask(platform(), closed.name, '/hello')).status).not.toBe(200)
  await until(
    () => ask(platform(), closed.name, '/hello'),
    ({ status }) => status === 401,
  )
  expect(await page.getByRole('button', { name: 'Restart now' }).count()).toBe(0)
})

test('[ISET-02] [ISET-09] Another stack restarts it on another Node-RED', async () => {
  const { page } = visitor
  const old = await startInstance(owner.client, 'old-line', instance.application.id)
  await page.goto(settings('change-type', old))
  await expect.poll(() => page.title()).toContain('Instance - Change Type')
  await shot(page, 'instance-settings-change-type')
  await page.goto(settings('general', old))
  await page.getByRole('button', { name: 'Change Stack' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('combobox').click()
  await dialog.getByRole('option', { name: /4\.1/ }).click()
  await seesDirection(dialog, /5\.0/, /4\.1/)
  await sees(dialog.getByText('Replaces the Node-RED version of old-line.'))
  await shot(page, 'instance-settings-stack')
  await dialog.getByRole('button', { name: 'Change Stack' }).click()
  const after = await until(
    () => owner.client.call('instance.get', { params: { instanceId: old.id } }),
    ({ meta }) => meta.state === 'running' && meta.versions?.['node-red'].startsWith('4.1') === true,
    45_000,
  )
  expect(after.stack.properties.nodered).toMatch(/^4\.1/)
})

test('[ISET-03] [ISET-06] [ISET-09] [ENV-13] A member edits variables and nothing else, a viewer only reads', async () => {
  const { people } = platform()
  await setSite('bakery')
  people.add('mia', { teamId: team.id, role: roles.member })
  people.add('vera', { teamId: team.id, role: roles.viewer })
  const [mia, vera] = [await people.signIn('mia', admin.password), await people.signIn('vera', admin.password)]
  const member = await visitors.open(platform(), mia)
  for (const page of ['editor', 'security', 'palette', 'danger', 'ha', 'change-type']) {
    await member.page.goto(settings(page))
    await member.page.waitForURL(`**${settings()}`)
  }
  const menuOf = (page: Visitor['page']) =>
    page.getByRole('navigation', { name: 'Instance settings' }).getByRole('link').allInnerTexts()
  expect(await menuOf(member.page)).toEqual(['General', 'Environment'])
  await sees(member.page.getByText('Instance ID'))
  expect(await member.page.getByText(/^(Change Stack|Import Instance|Change Instance Type)$/).count()).toBe(0)
  await member.page.goto(settings('environment'))
  await member.page.getByLabel('Value of SITE').fill('mill')
  await save(member.page).click()
  await sees(screens.toast(member.page, saved))
  const viewer = await visitors.open(platform(), vera)
  await viewer.page.goto(settings('environment'))
  await sees(viewer.page.getByText('mill', { exact: true }))
  expect(await viewer.page.getByRole('textbox').count()).toBe(0)
  expect(await save(viewer.page).count()).toBe(0)
  expect(await menuOf(viewer.page)).toEqual(['General', 'Environment'])
})

test('A path of the flows is suggested as a health check, and one click checks it', async () => {
  const checked = await another('oven-checked', helloFlow)
  const { page } = visitor
  await page.goto(settings('general', checked))
  await button(page, 'Check /hello').click()
  await expect.poll(() => field(page, 'Path').inputValue()).toBe('/hello')
  const { healthCheck } = await owner.client.call('instance.get', { params: { instanceId: checked.id } })
  expect(healthCheck).toMatchObject({ path: '/hello', status: 200 })
  await shot(page, 'health-check-suggested')
})

test('The takeover of an instance can be fixed, each way with what it means', async () => {
  const { page } = visitor
  await page.goto(settings())
  const takeover = field(page, 'How a new version takes over')
  const ways = [
    ['Side by side', 'beside', 'Both versions run for a moment. No request is lost.'],
    ['Held', 'held', 'They open when the old version has stopped.'],
    ['Stop first', 'stop-first', 'The old flows stop, and the new ones start with their inputs closed.'],
    ['Automatic', 'auto', 'Chosen from the node types and open ports of the flows.'],
  ] as const
  for (const [name, way, means] of ways) {
    await takeover.click()
    await page.getByRole('option', { name, exact: true }).click()
    await sees(page.getByText(means))
    await until(
      () => owner.client.call('instance.get', { params: { instanceId: instance.id } }),
      ({ takeover: saved }) => saved === way,
    )
    await shot(page, `takeover-${way}`)
  }
})

test('Settings that are saved and not in force yet say so, until a restart', async () => {
  const { page } = visitor
  await setSite(`bakery ${Date.now()}`)
  await page.goto(settings())
  const notice = page.getByText('Saved settings take effect when Node-RED restarts.')
  await sees(notice)
  await shot(page, 'settings-not-in-force')
  await button(page, 'Restart now').click()
  await notice.waitFor({ state: 'detached', timeout: 60_000 })
})
