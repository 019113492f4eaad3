import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import {
  admin,
  adjust,
  adjustSettings,
  answer,
  createTeam,
  type Person,
  screens,
  sees,
  shot,
  until,
  usePlatform,
  useVisitors,
} from './harness/index.ts'

const platform = usePlatform({ claimed: true })
const visitors = useVisitors()
let alice: Person
let bob: Person
beforeAll(async () => {
  const { people } = platform()
  people.add('bob')
  alice = await people.signIn(admin.username, admin.password)
  bob = await people.signIn('bob', admin.password)
})

const properties = { nodered: '4.1.15', memory: 256 }

test('[ATYPE-01] [ATYPE-02] [ATYPE-03] [ATYPE-04] [ATYPE-05] [ATYPE-06] [ATYPE-07] [ATYPE-08] [ATYPE-13] [ATYPE-14] [ATYPE-15] [ATYPE-18] [CONST-09] Types are made, changed, put aside and deleted', async () => {
  const { page } = await visitors.open(platform(), alice)
  const asked = page.waitForRequest((request) => /\/project-types\?.*limit=30\b/.test(request.url()))
  await page.goto('/admin/instance-types')
  await asked
  await sees(page.getByRole('heading', { name: 'Instance Types' }))
  await page.getByRole('button', { name: 'Create instance type' }).click()
  const dialog = page.getByRole('dialog')
  const create = dialog.getByRole('button', { name: 'Create' })
  expect(await create.isDisabled()).toBe(true)
  expect(await dialog.getByLabel('Order').inputValue()).toBe('1')
  expect(await dialog.getByRole('checkbox', { name: 'Active' }).isChecked()).toBe(true)
  expect(await dialog.getByLabel('Price and interval').count()).toBe(0)
  await dialog.getByLabel('Name').fill('Standard')
  await dialog.getByLabel('Description').fill('Room for **heavy** flows.\n\n- 2 ovens\n- <img src=x onerror=alert(1)>')
  await create.click()
  await sees(dialog.getByText('Name unavailable'))
  await dialog.getByLabel('Name').fill('Bakery')
  await create.click()
  await dialog.waitFor({ state: 'detached' })
  await sees(page.locator('strong', { hasText: 'heavy' }))
  await sees(page.getByText('<img src=x onerror=alert(1)>'))
  const tile = page.locator('section', { has: page.getByRole('heading', { name: 'Standard', exact: true }) }).last()
  const standard = (await alice.client.call('instanceType.list')).types.find((type) => type.name === 'Standard')!
  expect((await tile.innerText()).replace(/\s+/g, ' ')).toContain(
    `Instance Count ${standard.instanceCount} Stack Count ${standard.stackCount}`,
  )
  await shot(page, 'admin-instance-types')

  await page.getByRole('button', { name: 'Actions for Bakery' }).click()
  await page.getByRole('menuitem', { name: 'Edit Instance Type' }).click()
  await dialog.getByRole('checkbox', { name: 'Active' }).click()
  await dialog.getByRole('button', { name: 'Save' }).click()
  const inactive = page.getByRole('table', { name: 'Inactive Types' })
  await sees(inactive.getByText('Bakery'))
  for (const header of ['Type', 'Description', 'Default Stack', 'Application Instances', 'Stacks'])
    await sees(inactive.getByRole('columnheader', { name: header, exact: true }))
  const cells = await inactive.getByRole('row').last().getByRole('cell').allInnerTexts()
  expect(cells.slice(0, 5)).toEqual(['Bakery', expect.stringMatching(/^Room for heavy flows/), '', '0', '0'])
  await page.getByRole('button', { name: 'Actions for Bakery' }).click()
  await page.getByRole('menuitem', { name: 'Delete Instance Type' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await inactive.waitFor({ state: 'detached' })

  // One that is used, with billing.
  await adjustSettings(page, { features: { billing: true } })
  await adjust(page, '/api/v1/project-types', (reply) => ({
    ...reply,
    types: (reply.types as { name: string }[]).map((type) => ({
      ...type,
      instanceCount: 3,
    })),
  }))
  const { id: instanceTypeId } = await alice.client.call('instanceType.create', {
    body: { name: 'Priced', properties: { billingDescription: '$10/month' } },
  })
  await page.reload()
  const priced = page.locator('section', { has: page.getByRole('heading', { name: 'Priced', exact: true }) }).last()
  await sees(priced.getByText('$10', { exact: true }), priced.getByText('month', { exact: true }))
  await alice.client.call('instanceType.delete', { params: { instanceTypeId } })
  await page.getByRole('button', { name: 'Actions for Standard' }).click()
  await page.getByRole('menuitem', { name: 'Delete Instance Type' }).click()
  await sees(page.getByText('You cannot delete an instance type that is still being used by instances.'))
  expect(await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true)
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Actions for Standard' }).click()
  await page.getByRole('menuitem', { name: 'Edit Instance Type' }).click()
  expect(await dialog.getByLabel('Price and interval').isDisabled()).toBe(true)
  await page.context().close()
})

test('[ASTACK-01] [ASTACK-02] [ASTACK-03] [ASTACK-04] [ASTACK-05] [ASTACK-06] [ASTACK-07] [ASTACK-08] [ASTACK-09] [ASTACK-10] [ASTACK-11] [ASTACK-12] [ASTACK-13] [ASTACK-14] [ASTACK-15] [ASTACK-16] [ASTACK-17] [ASTACK-19] [CONST-09] [CONST-10] A stack is made, replaced, used and deleted', async () => {
  const { page } = await visitors.open(platform(), alice)
  const zone = { label: 'Zone', description: 'Where it runs.', validate: '^[a-z]+$' }
  await adjust(page, '/api/v1/settings', (settings) => {
    const { properties: fields } = settings.stacks as { properties: object }
    return { ...settings, stacks: { properties: { ...fields, zone } } }
  })
  await page.goto('/admin/stacks')
  const active = page.getByRole('region', { name: 'Active Stacks, with search', exact: true })
  const inactive = page.getByRole('region', { name: 'Inactive Stacks, with search' })
  await sees(inactive.getByText('No Inactive Stacks Found'))
  for (const header of ['Stack', 'Properties', 'Instance Count'])
    await sees(active.getByRole('columnheader', { name: header, exact: true }))
  await active.getByPlaceholder('Search by Stack Name...').fill('no such stack')
  await sees(active.getByText('No Active Stacks Found'))
  await active.getByPlaceholder('Search by Stack Name...').fill('')

  const asked = page.waitForRequest((request) => /\/project-types\?.*limit=100\b/.test(request.url()))
  await page.getByRole('button', { name: 'Create stack' }).click()
  await asked
  const dialog = page.getByRole('dialog')
  const create = dialog.getByRole('button', { name: 'Create' })
  expect(await create.isDisabled()).toBe(true)
  await dialog.getByLabel('Name').fill('a b')
  await sees(dialog.getByText('Must only contain a-z 0-9 - _ / @ .'), dialog.getByText('Where it runs.'))
  const { stacks } = await alice.client.call('stack.list')
  await dialog.getByLabel('Name').fill(stacks[0]!.name)
  await dialog.getByLabel('Node-RED version').fill('latest')
  await dialog.getByLabel('Memory in MB').fill('256')
  await sees(dialog.getByText('An exact version such as 5.0.7'))
  await dialog.getByLabel('Node-RED version').fill('4.1.15')
  await dialog.getByLabel('Zone').fill('1')
  await dialog.getByLabel('Memory in MB').focus()
  await sees(dialog.getByText('Invalid', { exact: true }))
  await dialog.getByLabel('Zone').fill('eu')
  expect(await create.isDisabled()).toBe(true)
  await dialog.getByLabel('Instance type').click()
  await dialog.getByRole('option', { name: 'Standard' }).click()
  await create.click()
  await sees(dialog.getByText('Name unavailable'))
  await dialog.getByLabel('Name').fill('oven/line@1.0')
  await dialog.getByLabel('Label').fill('Oven line')
  await create.click()
  const row = active.getByRole('row').filter({ hasText: 'Oven line' })
  await sees(row.getByText('ready'))

  await page.getByRole('button', { name: 'Actions for oven/line@1.0' }).click()
  await page.getByRole('menuitem', { name: 'Create New Version' }).click()
  expect(await dialog.getByLabel('Instance type').isDisabled()).toBe(true)
  await dialog.getByLabel('Name').fill('oven/line@2.0')
  await dialog.getByLabel('Zone').fill('eu')
  await create.click()
  const old = inactive.getByRole('row').filter({ hasText: 'oven/line@1.0' })
  await sees(old.getByText('oven/line@2.0'))
  await inactive.getByPlaceholder('Search by Stack Name...').fill('no such stack')
  await sees(inactive.getByText('No Inactive Stacks Found'))
  await inactive.getByPlaceholder('Search by Stack Name...').fill('LINE@1')
  await sees(old)

  await page.getByRole('button', { name: 'Actions for oven/line@2.0' }).click()
  await page.getByRole('menuitem', { name: 'Edit Properties' }).click()
  await dialog.getByRole('checkbox', { name: 'Active' }).click()
  await dialog.getByLabel('Zone').fill('eu')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await inactive.getByPlaceholder('Search by Stack Name...').fill('line@2')
  await sees(inactive.getByRole('row').filter({ hasText: 'oven/line@2.0' }).first())
  expect(await active.getByText('oven/line@2.0').count()).toBe(0)
  await sees(inactive.getByRole('columnheader', { name: 'Replaced By' }))

  // One whose trial failed, one that is fetched, and one that is used.
  await adjust(page, '/api/v1/stacks', (reply) => {
    const states = [
      { state: 'failed', reason: 'The npm registry cannot be reached; check the network connection of the server' },
      { state: 'installing' },
    ]
    const changed = (reply.stacks as { replacedBy?: string }[]).map((stack, index) =>
      stack.replacedBy ? stack : { ...stack, instanceCount: 2, ...(states[index] ? { meta: states[index] } : {}) },
    )
    return { ...reply, stacks: changed }
  })
  await page.reload()
  await sees(active.getByText('The npm registry cannot be reached; check the network connection of the server'))
  await shot(page, 'admin-stacks')
  const again = page.waitForRequest((request) => request.url().endsWith('/actions/prepare'))
  await active.getByRole('button', { name: 'Try again' }).click()
  await again
  await page.getByRole('button', { name: `Actions for ${stacks[0]!.name}` }).click()
  await page.getByRole('menuitem', { name: 'Edit Properties' }).click()
  expect(await dialog.getByLabel('Name').isDisabled()).toBe(true)
  expect(await dialog.getByLabel('Memory in MB').isDisabled()).toBe(true)
  expect(await dialog.getByLabel('Label').isDisabled()).toBe(false)
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: `Actions for ${stacks[0]!.name}` }).click()
  await page.getByRole('menuitem', { name: 'Delete Stack' }).click()
  await sees(page.getByText('You cannot delete a stack that is still being used by instances.'))
  expect(await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true)
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click()

  await page.getByRole('button', { name: 'Actions for oven/line@1.0' }).click()
  await page.getByRole('menuitem', { name: 'Delete Stack' }).click()
  const { stacks: replaced } = await alice.client.call('stack.list', { query: { filter: 'inactive' } })
  await answer(page, `DELETE /api/v1/stacks/${replaced[0]!.id}`, 400, { code: 'invalid_request', error: 'In the way' })
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await sees(screens.toast(page, 'In the way'))

  const { types } = await alice.client.call('instanceType.list')
  const many = Array.from({ length: 29 }, (_, index) => `many-${index}`)
  await Promise.all(
    many.map((name) => alice.client.call('stack.create', { body: { name, projectType: types[0]!.id, properties } })),
  )
  await adjust(page, '/api/v1/project-types', (reply) => ({ ...reply, types: [] }))
  await page.reload()
  await sees(active.getByRole('button', { name: 'Load more...' }))
  expect(await active.getByRole('row').count()).toBe(31)
  await active.getByRole('button', { name: 'Load more...' }).click()
  await sees(active.getByText('many-28'))
  await active.getByRole('button', { name: 'Load more...' }).waitFor({ state: 'detached' })
  for (const { id } of (await alice.client.call('stack.list', { query: { query: 'many-' } })).stacks)
    await alice.client.call('stack.update', { params: { stackId: id }, body: { active: false } })
  await page.reload()
  await sees(inactive.getByRole('button', { name: 'Load more...' }))
  expect(await inactive.getByRole('row').count()).toBe(31)
  await inactive.getByRole('button', { name: 'Load more...' }).click()
  await inactive.getByRole('button', { name: 'Load more...' }).waitFor({ state: 'detached' })
  expect(await inactive.getByRole('row').count()).toBeGreaterThan(31)
  await page.getByRole('button', { name: 'Create stack' }).click()
  await sees(
    dialog.getByText('No instance types available. Ask an Administrator to create a new instance type definition'),
  )
  await page.context().close()
})

/** Sees the trail of a template: a link to all templates, an arrow, and the heading below it. */
async function seesTrail(page: Page, name: string): Promise<void> {
  const trail = page.getByRole('navigation', { name: 'Breadcrumb' })
  await sees(trail.locator('xpath=following-sibling::*[1]').getByRole('heading', { name, exact: true, level: 1 }))
  expect(await trail.getByRole('link').evaluateAll((links) => links.map((link) => link.getAttribute('href')))).toEqual([
    '/admin/templates',
  ])
  expect([await trail.innerText(), await trail.locator('> :last-child').evaluate(({ tagName }) => tagName)]).toEqual([
    'Templates',
    'svg',
  ])
}

test('[PAL-02] [ATPL-04] [ATPL-08] [ATPL-09] [ATPL-10] [ATPL-13] [ATPL-14] [ATPL-15] [ATPL-18] [ATPL-20] [ATPL-21] [ATPL-23] A template with a locked field is made', async () => {
  const { page, expectProblem } = await visitors.open(platform(), alice)
  await page.goto('/admin/templates')
  await page.getByRole('link', { name: 'Create template' }).click()
  await page.waitForURL('**/admin/templates/create/settings')
  await seesTrail(page, 'Create a new template')
  for (const card of ['General', 'Editor', 'External Modules'])
    await sees(page.getByRole('heading', { name: card, exact: true }))
  const general = page.locator('section', { has: page.getByRole('heading', { name: 'General', exact: true }) }).last()
  await sees(
    general.getByLabel('Name', { exact: true }),
    general.getByRole('checkbox', { name: 'Active' }),
    general.getByLabel('Description'),
  )
  const create = page.getByRole('button', { name: 'Create template' })
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.waitForURL('**/admin/templates')
  await page.getByRole('link', { name: 'Create template' }).click()
  await sees(create)
  // Nobody is blamed before they began.
  expect([await create.isDisabled(), await page.getByText('Required').count()]).toEqual([true, 0])
  await page.getByLabel('Name', { exact: true }).fill('Bakery')
  await page.getByLabel('Name', { exact: true }).fill('')
  await sees(page.getByText('Required'))
  expect(await create.isDisabled()).toBe(true)
  await page.getByLabel('Name', { exact: true }).fill('Bakery')
  await page.getByRole('textbox', { name: 'Editor URL path' }).fill('A b')
  await sees(page.getByText('Must contain only 0-9 a-z _ - /'))
  await page.getByRole('textbox', { name: 'Editor URL path' }).fill('')
  await page.getByRole('textbox', { name: 'Editor title' }).fill('Ovens')
  await page.getByRole('button', { name: 'Lock Editor title: instances may change it' }).click()
  await shot(page, 'admin-template-settings')
  await page.getByRole('link', { name: 'Security' }).click()
  await page.getByRole('combobox', { name: 'Sign-in for HTTP endpoints' }).click()
  for (const option of ['None: anyone who has the address', 'One user name and password', 'Members of the team'])
    await sees(page.getByRole('option', { name: option }))
  await page.getByRole('option', { name: 'One user name and password' }).click()
  await page.getByRole('textbox', { name: 'User name' }).fill('baker')
  await page.getByRole('textbox', { name: 'Password' }).fill('flour')
  await page.getByRole('link', { name: 'Environment' }).click()
  await page.getByLabel('New name').fill('OVEN')
  await page.getByLabel('New value').fill('1')
  await page.getByRole('button', { name: 'Add' }).click()
  await page.getByRole('button', { name: 'Lock OVEN: instances may change it' }).click()
  await page.getByLabel('New name').fill('MILL')
  await page.getByLabel('New value').fill('2')
  await page.getByRole('button', { name: 'Add' }).click()
  const variables = page.getByRole('table', { name: 'Environment variables' })
  for (const [at, name] of ['OVEN', 'MILL'].entries())
    expect(await variables.getByRole('textbox', { name: 'Name', exact: true }).nth(at).inputValue()).toBe(name)
  await page.getByRole('link', { name: 'Palette' }).click()
  for (const [what, pressed] of [
    ['Allow installing nodes', 'true'],
    ['Excluded nodes', 'false'],
    ['Denied nodes', 'false'],
    ['Installed Modules', 'true'],
  ] as const) {
    const lock = page.getByRole('button', { name: new RegExp(`^(Lock|Unlock) ${what}:`) })
    await lock.click()
    expect([what, await lock.getAttribute('aria-pressed')]).toEqual([what, pressed])
  }
  await page.getByLabel('Module', { exact: true }).fill('node-red-node-random')
  await page.getByRole('button', { name: 'Add' }).click()
  // Its instance shall not wait for the registry.
  await page.getByRole('button', { name: 'Remove node-red-node-random' }).click()

  expectProblem(/500/)
  for (const [reply, told] of [
    [undefined, 'Unknown Error. Check logs.'],
    [{ code: 'unexpected_error', error: 'The disk is full' }, 'The disk is full'],
  ] as const) {
    await answer(page, 'POST /api/v1/templates', 500, reply)
    await create.click()
    await sees(screens.toast(page, told))
    await page.unrouteAll()
  }
  await page.getByRole('navigation', { name: 'Template' }).getByRole('link', { name: 'Settings' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Default')
  await create.click()
  await sees(page.getByText('Name unavailable'))
  await page.getByLabel('Name', { exact: true }).fill('Bakery')
  const asked = page.waitForRequest((call) => call.method() === 'POST' && call.url().endsWith('/api/v1/templates'))
  await create.click()
  const { policy } = (await asked).postDataJSON() as { policy: object }
  expect(policy).toMatchObject({
    palette_allowInstall: false,
    palette_nodesExcludes: true,
    palette_denyList: true,
    palette_modules: false,
  })
  await page.waitForURL('**/admin/templates')
  await page.context().close()
})

test('[ATPL-01] [ATPL-02] [ATPL-03] [ATPL-05] [ATPL-06] [ATPL-07] [ATPL-09] [ATPL-12] [CONST-10] Templates are listed, found and deleted; an instance has the field locked that its template locks', async () => {
  const { id: templateId } = await alice.client.call('template.create', {
    body: {
      name: 'Rye bakery',
      settings: { header: { title: 'Ovens' } },
      policy: {
        header: { title: false },
        palette: { allowInstall: false, nodesExcludes: true, denyList: true, modules: false },
      },
    },
  })
  const { page } = await visitors.open(platform(), alice)
  await page.goto('/admin/templates')
  const table = page.getByRole('table', { name: 'Templates' })
  for (const header of ['Active', 'Template', 'Description', 'Created by', 'Instance Count'])
    await sees(table.getByRole('columnheader', { name: header, exact: true }).getByRole('button'))
  await sees(table.getByRole('row').filter({ hasText: 'Rye bakery' }).getByText('alice'))

  await page.getByRole('button', { name: 'Actions for Default' }).click()
  await page.getByRole('menuitem', { name: 'Delete Template' }).click()
  await sees(page.getByText('Are you sure you want to delete this template?'))
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click()

  const { application } = await createTeam(bob.client, 'Example Bakery')
  const [{ types }, { stacks }] = await Promise.all([
    bob.client.call('instanceType.list'),
    bob.client.call('stack.list', { query: { filter: 'active' } }),
  ])
  const body = { name: 'locked-line', applicationId: application.id, template: templateId }
  const instance = await bob.client.call('instance.create', {
    body: { ...body, projectType: types[0]!.id, stack: stacks.find((one) => one.properties.nodered === '4.1.15')!.id },
  })
  const owner = await visitors.open(platform(), bob)
  await owner.page.goto(`/instance/${instance.id}/settings/editor`)
  const title = owner.page.getByLabel('Editor title')
  await sees(title)
  expect([await title.inputValue(), await title.isDisabled()]).toEqual(['Ovens', true])
  await sees(owner.page.getByRole('button', { name: 'The template of this instance decides this setting' }).first())
  await owner.page.getByRole('link', { name: 'Palette', exact: true }).click()
  const disabled = (label: string) => owner.page.getByLabel(label, { exact: false }).first().isDisabled()
  await sees(owner.page.getByLabel('Excluded nodes'))
  expect(await disabled('Allow installing nodes')).toBe(true)
  expect(await Promise.all(['Excluded nodes', 'Denied nodes'].map(disabled))).toEqual([false, false])
  expect(await owner.page.getByLabel('Module', { exact: true }).count()).toBe(0)
  const settings = { header: { title: 'Mine' } }
  const params = { instanceId: instance.id }
  await expect(bob.client.call('instance.update', { params, body: { settings } })).rejects.toMatchObject({
    status: 400,
  })

  const many = Array.from({ length: 29 }, (_, index) => `many-${index}`)
  await Promise.all(
    many.map((name, index) =>
      alice.client.call('template.create', { body: { name, active: index > 3, description: `For mill ${index % 3}` } }),
    ),
  )
  await page.reload()
  const more = page.getByRole('button', { name: 'Load more...' })
  await sees(more)
  expect(await table.getByRole('row').count()).toBe(31)
  await more.click()
  await sees(table.getByText('many-28'))
  await more.waitFor({ state: 'detached' })
  const rows = async () => (await table.getByRole('row').allInnerTexts()).slice(1)
  for (const header of ['Active', 'Template', 'Description', 'Created by', 'Instance Count']) {
    const sort = table.getByRole('columnheader', { name: header, exact: true }).getByRole('button')
    await sort.click()
    const up = await rows()
    await sort.click()
    expect([header, (await rows()).join() !== up.join()]).toEqual([header, true])
  }

  await page.getByRole('button', { name: 'Actions for many-7' }).click()
  await page.getByRole('menuitem', { name: 'Delete Template' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await table.getByText('many-7', { exact: true }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Actions for Rye bakery' }).click()
  await page.getByRole('menuitem', { name: 'Edit Template' }).click()
  await seesTrail(page, 'Rye bakery')
  await page.goBack()
  await page.getByLabel('Search Templates...').fill('ye bakery')
  await table.getByText('many-1', { exact: true }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Actions for Rye bakery' }).click()
  await page.getByRole('menuitem', { name: 'Delete Template' }).click()
  await sees(page.getByText('You cannot delete a template that is still being used by instances.'))
  expect(await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true)
  await page.goto('/admin/templates/none')
  await sees(page.getByRole('heading', { name: 'Page Not Found' }))
  await owner.page.context().close()
  await page.context().close()
})

test('[ATPL-11] [ATPL-16] [ATPL-17] [ATPL-19] [ATPL-27] Of two administrators who edit a template the second is told, and chooses', async () => {
  const { page } = await visitors.open(platform(), alice)
  const { id } = await alice.client.call('template.create', {
    body: {
      name: 'Shared',
      settings: { httpNodeAuth_type: 'basic', httpNodeAuth_user: 'baker', httpNodeAuth_pass: 'flour' },
    },
  })
  await page.goto(`/admin/templates/${id}`)
  await page.waitForURL('**/settings')
  const [save, discard] = ['Save changes', 'Discard changes'].map((name) => page.getByRole('button', { name }))
  await sees(page.getByRole('heading', { name: 'Shared', level: 1 }))
  expect([await save!.isDisabled(), await discard!.isDisabled()]).toEqual([true, true])
  const description = page.getByLabel('Description')
  await description.fill('For ovens')
  await sees(page.getByText('Changed', { exact: true }))
  expect([await save!.isDisabled(), await discard!.isDisabled()]).toEqual([false, false])
  await description.fill('')
  await page.getByText('Changed', { exact: true }).waitFor({ state: 'detached' })
  expect(await save!.isDisabled()).toBe(true)
  await page.getByRole('link', { name: 'Security' }).click()
  const password = page.getByRole('textbox', { name: 'Password' })
  expect([
    await password.getAttribute('type'),
    await password.inputValue(),
    await password.getAttribute('placeholder'),
  ]).toEqual(['password', '', '••••••••'])
  await page.getByRole('navigation', { name: 'Template' }).getByRole('link', { name: 'Settings' }).click()
  await description.fill('Not this')
  await discard!.click()
  expect([await description.inputValue(), await save!.isDisabled()]).toEqual(['', true])
  await description.fill('Mine')

  await alice.client.call('template.update', {
    params: { templateId: id },
    body: { settings: { theme: 'forge-dark' } },
  })
  await save!.click()
  const question = page.getByRole('alertdialog')
  await sees(question.getByText('must be restarted manually', { exact: false }))
  await sees(question.getByText('Existing instances do not inherit changed default modules', { exact: false }))
  const sent: string[] = []
  page.on('request', (request) => {
    if (request.method() !== 'GET') sent.push(request.method())
  })
  await question.getByRole('button', { name: 'Cancel' }).click()
  await question.waitFor({ state: 'detached' })
  expect(sent).toEqual([])
  await save!.click()
  await question.getByRole('button', { name: 'Save changes' }).click()
  await sees(page.getByText('was changed by somebody else since you opened it', { exact: false }).last())
  await shot(page, 'admin-template-conflict')
  const get = () => alice.client.call('template.get', { params: { templateId: id } })
  expect(await get()).toMatchObject({ description: '', settings: { theme: 'forge-dark' } })
  await page.getByRole('button', { name: 'Load the newer version' }).click()
  await sees(page.getByRole('combobox', { name: 'Editor theme' }).getByText('Dark'))
  expect(await description.inputValue()).toBe('Mine')
  await save!.click()
  await question.getByRole('button', { name: 'Save changes' }).click()
  await until(get, (now) => now.description === 'Mine')
  expect((await get()).settings.theme).toBe('forge-dark')
  await page.context().close()
})
