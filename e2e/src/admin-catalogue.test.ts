import type { Stack } from '@app/contract'
import { expect, onTestFinished, test } from 'vitest'
import { adjust, adjustSettings, admin, answer, button, openConsole, screens, sees, shot } from './harness/index.ts'

const { platform, visitors } = await openConsole()
const alice = await platform().people.signIn(admin.username, admin.password)

const properties = { nodered: '4.1.15', memory: 256 }

/** A page of the administrator, with the dialogs that open over it. */
async function open(path: string) {
  const { page } = await visitors.open(platform(), alice)
  await page.goto(`/admin/${path}`)
  const choose = (name: string, item: string) => screens.menu.choose(page, `Actions for ${name}`, item)
  const question = page.getByRole('alertdialog')
  return {
    page,
    dialog: page.getByRole('dialog'),
    question,
    remove: question.getByRole('button', { name: 'Delete' }),
    choose,
  }
}
const createType = (body: { name: string; description?: string; properties?: { billingDescription: string } }) =>
  alice.client.call('instanceType.create', { body })
/** The number that a call to this path asks for at once. */
const limitOf = (request: { url(): string }) => new URL(request.url()).searchParams.get('limit')

test('[ATYPE-01] [ATYPE-06] [ATYPE-07] [ATYPE-08] [ATYPE-13] A dialog makes a type, whose name is required and free', async () => {
  const { page, dialog } = await open('instance-types')
  await sees(page.getByRole('heading', { name: 'Instance Types' }))
  await button(page, 'Create instance type').click()
  const create = dialog.getByRole('button', { name: 'Create' })
  expect(await create.isDisabled()).toBe(true)
  expect(await dialog.getByLabel('Order').inputValue()).toBe('1')
  expect(await dialog.getByRole('checkbox', { name: 'Active' }).isChecked()).toBe(true)
  expect(await dialog.getByLabel('Price and interval').count()).toBe(0)
  await dialog.getByLabel('Name').fill('Standard')
  await create.click()
  await sees(dialog.getByText('Name unavailable'))
  await dialog.getByLabel('Name').fill('Rye')
  await create.click()
  await dialog.waitFor({ state: 'detached' })
  await sees(page.getByRole('heading', { name: 'Rye', exact: true }))
  await screens.menu.choose(page, 'Actions for Rye', 'Edit Instance Type')
  await dialog.getByLabel('Name').fill('Rye bread')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await sees(page.getByRole('heading', { name: 'Rye bread', exact: true }))
})

test('[ATYPE-03] [ATYPE-18] [CONST-09] The tile of a type counts its instances and stacks, and shows its description as Markdown', async () => {
  const description = 'Room for **heavy** flows.\n\n- 2 ovens\n- <img src=x onerror=alert(1)>'
  await createType({ name: 'Wheat', description })
  const { page } = await visitors.open(platform(), alice)
  const asked = page.waitForRequest((request) => request.url().includes('/project-types?'))
  await page.goto('/admin/instance-types')
  expect(limitOf(await asked)).toBe('30')
  await sees(page.locator('strong', { hasText: 'heavy' }), page.getByText('<img src=x onerror=alert(1)>'))
  const tile = page.locator('section', { has: page.getByRole('heading', { name: 'Standard', exact: true }) }).last()
  const standard = (await alice.client.call('instanceType.list')).types.find((type) => type.name === 'Standard')!
  expect((await tile.innerText()).replace(/\s+/g, ' ')).toContain(
    `Instance Count ${standard.instanceCount} Stack Count ${standard.stackCount}`,
  )
  await shot(page, 'admin-instance-types')
})

test('[ATYPE-04] [ATYPE-05] [ATYPE-15] A type that is turned off goes to a table of its own, from where it is deleted', async () => {
  await createType({ name: 'Bakery', description: 'Room for **heavy** flows.' })
  const { page, dialog, remove, choose } = await open('instance-types')
  await choose('Bakery', 'Edit Instance Type')
  await dialog.getByRole('checkbox', { name: 'Active' }).click()
  await dialog.getByRole('button', { name: 'Save' }).click()
  const inactive = page.getByRole('table', { name: 'Inactive Types' })
  await sees(inactive.getByText('Bakery'))
  for (const header of ['Type', 'Description', 'Default Stack', 'Application Instances', 'Stacks'])
    await sees(inactive.getByRole('columnheader', { name: header, exact: true }))
  const cells = await inactive.getByRole('row').last().getByRole('cell').allInnerTexts()
  expect(cells.slice(0, 5)).toEqual(['Bakery', expect.stringMatching(/^Room for heavy flows/), '', '0', '0'])
  await choose('Bakery', 'Delete Instance Type')
  await remove.click()
  await inactive.getByText('Bakery').waitFor({ state: 'detached' })
})

test('[ATYPE-02] With billing the tile of a type has its price and interval', async () => {
  const { id: instanceTypeId } = await createType({ name: 'Priced', properties: { billingDescription: '$10/month' } })
  onTestFinished(async () => {
    await alice.client.call('instanceType.delete', { params: { instanceTypeId } })
  })
  const { page } = await visitors.open(platform(), alice)
  await adjustSettings(page, { features: { billing: true } })
  await page.goto('/admin/instance-types')
  const priced = page.locator('section', { has: page.getByRole('heading', { name: 'Priced', exact: true }) }).last()
  await sees(priced.getByText('$10', { exact: true }), priced.getByText('month', { exact: true }))
})

test('Where a server has several drivers, a type says how its instances run', async () => {
  const { id: instanceTypeId } = await createType({ name: 'Walled' })
  onTestFinished(async () => {
    await alice.client.call('instanceType.delete', { params: { instanceTypeId } })
  })
  const { page, dialog, choose } = await open('instance-types')
  await choose('Walled', 'Edit Instance Type')
  await sees(dialog.getByLabel('Name'))
  expect(await dialog.getByLabel('Instances run as').count()).toBe(0)
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await adjustSettings(page, { 'driver:offers': ['local', 'docker'] })
  await page.reload()
  await choose('Walled', 'Edit Instance Type')
  await sees(dialog.getByLabel('Instances run as').getByText('Processes (default)'))
  await dialog.getByLabel('Instances run as').click()
  await page.getByRole('option', { name: 'Docker containers' }).click()
  await shot(page, 'admin-type-driver')
  await dialog.getByRole('button', { name: 'Save' }).click()
  // The server of this journey has one driver only.
  await sees(dialog.getByText('This server does not have the driver docker'))
})

test('[ATYPE-14] A type that instances use is not deleted, and its price stays', async () => {
  const { page, dialog, question, remove, choose } = await open('instance-types')
  await adjustSettings(page, { features: { billing: true } })
  await adjust(page, '/api/v1/project-types', (reply) => ({
    ...reply,
    types: (reply.types as object[]).map((type) => ({ ...type, instanceCount: 3 })),
  }))
  await page.reload()
  await choose('Standard', 'Delete Instance Type')
  await sees(page.getByText('You cannot delete an instance type that is still being used by instances.'))
  expect(await remove.isDisabled()).toBe(true)
  await question.getByRole('button', { name: 'Cancel' }).click()
  await choose('Standard', 'Edit Instance Type')
  expect(await dialog.getByLabel('Price and interval').isDisabled()).toBe(true)
})

/** Active stacks of these names, in this order. */
async function createStacks(...names: string[]) {
  const { types } = await alice.client.call('instanceType.list')
  const projectType = types.find(({ name }) => name === 'Standard')!.id
  const made: Stack[] = []
  for (const name of names)
    made.push(await alice.client.call('stack.create', { body: { name, projectType, properties } }))
  return made
}
const putAway = (stackId: string) => alice.client.call('stack.update', { params: { stackId }, body: { active: false } })
/** The page of the stacks, with its two tables. */
async function openStacks() {
  const opened = await open('stacks')
  const { page } = opened
  const table = (title: string) => {
    const region = page.getByRole('region', { name: `${title}, with search`, exact: true })
    const search = (text: string) => region.getByPlaceholder('Search by Stack Name...').fill(text)
    const row = (name: string) => region.getByRole('row').filter({ hasText: name })
    return { region, search, row, more: region.getByRole('button', { name: 'Load more...' }) }
  }
  const [active, inactive] = [table('Active Stacks'), table('Inactive Stacks')]
  await sees(active.region, inactive.region)
  return { ...opened, active, inactive }
}

test('[ASTACK-01] [ASTACK-02] [ASTACK-06] Active and inactive stacks stand in two tables, each with its search', async () => {
  const [, second] = await createStacks('flour-mill', 'water-mill')
  await putAway(second!.id)
  const { active, inactive } = await openStacks()
  for (const [table, name, empty, headers] of [
    [active, 'flour-mill', 'No Active Stacks Found', []],
    [inactive, 'water-mill', 'No Inactive Stacks Found', ['Replaced By']],
  ] as const) {
    await sees(table.row(name))
    for (const header of ['Stack', 'Properties', 'Instance Count', ...headers])
      await sees(table.region.getByRole('columnheader', { name: header, exact: true }))
    await table.search('no such stack')
    await sees(table.region.getByText(empty))
    await table.search(name.slice(2).toUpperCase())
    await sees(table.row(name))
    await expect.poll(() => table.region.getByRole('row').count()).toBe(2)
  }
})

test('[ASTACK-03] [ASTACK-11] [ASTACK-12] [ASTACK-14] [CONST-09] A dialog makes a stack, which needs a free name and a type', async () => {
  await createStacks('taken')
  const { page, dialog, active } = await openStacks()
  const asked = page.waitForRequest((request) => /\/project-types\?.*limit=100\b/.test(request.url()))
  await button(page, 'Create stack').click()
  await asked
  const create = dialog.getByRole('button', { name: 'Create' })
  expect(await create.isDisabled()).toBe(true)
  await dialog.getByLabel('Name').fill('a b')
  await sees(dialog.getByText('Must only contain a-z 0-9 - _ / @ .'))
  await dialog.getByLabel('Name').fill('taken')
  await dialog.getByLabel('Node-RED version').fill('4.1.15')
  await dialog.getByLabel('Memory in MB').fill('256')
  expect(await create.isDisabled()).toBe(true)
  await dialog.getByLabel('Instance type').click()
  await dialog.getByRole('option', { name: 'Standard' }).click()
  await create.click()
  await sees(dialog.getByText('Name unavailable'))
  await dialog.getByLabel('Name').fill('oven/line@1.0')
  await dialog.getByLabel('Label').fill('Oven line')
  await create.click()
  await sees(active.row('Oven line').getByText('ready'))
})

test('[ASTACK-13] [ASTACK-19] The dialog asks for the properties that the platform says, by their rules', async () => {
  const { page, dialog } = await openStacks()
  const zone = { label: 'Zone', description: 'Where it runs.', validate: '^[a-z]+$' }
  await adjust(page, '/api/v1/settings', (settings) => {
    const { properties: fields } = settings.stacks as { properties: object }
    return { ...settings, stacks: { properties: { ...fields, zone } } }
  })
  await page.reload()
  await button(page, 'Create stack').click()
  const create = dialog.getByRole('button', { name: 'Create' })
  await sees(dialog.getByText('Where it runs.'))
  await dialog.getByLabel('Name').fill('zoned')
  await dialog.getByLabel('Instance type').click()
  await dialog.getByRole('option', { name: 'Standard' }).click()
  await dialog.getByLabel('Node-RED version').fill('latest')
  await dialog.getByLabel('Memory in MB').fill('256')
  await sees(dialog.getByText('An exact version such as 5.0.7'))
  await dialog.getByLabel('Node-RED version').fill('4.1.15')
  expect(await create.isDisabled()).toBe(true)
  await dialog.getByLabel('Zone').fill('1')
  await dialog.getByLabel('Memory in MB').focus()
  await sees(dialog.getByText('Invalid', { exact: true }))
  expect(await create.isDisabled()).toBe(true)
  await dialog.getByLabel('Zone').fill('eu')
  await expect.poll(() => create.isEnabled()).toBe(true)
})

test('[ASTACK-05] [ASTACK-08] [ASTACK-09] A new version of a stack replaces it, for the same type', async () => {
  await createStacks('ring/line@1.0')
  const { dialog, active, inactive, choose } = await openStacks()
  await choose('ring/line@1.0', 'Create New Version')
  expect(await dialog.getByLabel('Instance type').isDisabled()).toBe(true)
  await dialog.getByLabel('Name').fill('ring/line@2.0')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await sees(inactive.row('ring/line@1.0').getByText('ring/line@2.0'), active.row('ring/line@2.0'))
  const find = async (name: string, filter: 'active' | 'inactive') =>
    (await alice.client.call('stack.list', { query: { query: name, filter } })).stacks[0]!
  const next = await find('ring/line@2.0', 'active')
  expect(await find('ring/line@1.0', 'inactive')).toMatchObject({ active: false, replacedBy: next.id })
})

test('[ASTACK-05] [ASTACK-07] A stack that is turned off moves to the inactive ones', async () => {
  await createStacks('night-shift')
  const { dialog, active, inactive, choose } = await openStacks()
  await choose('night-shift', 'Edit Properties')
  await dialog.getByRole('checkbox', { name: 'Active' }).click()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await sees(inactive.row('night-shift'))
  expect(await active.row('night-shift').count()).toBe(0)
})

test('A stack whose trial failed says why, and is tried again', async () => {
  const [one] = await createStacks('on-trial')
  const { page, active } = await openStacks()
  const reason = 'The npm registry cannot be reached; check the network connection of the server'
  await adjust(page, '/api/v1/stacks', (reply) => ({
    ...reply,
    stacks: (reply.stacks as { id: string }[]).map((stack) =>
      stack.id === one!.id ? { ...stack, meta: { state: 'failed', reason } } : stack,
    ),
  }))
  await page.reload()
  await sees(active.region.getByText(reason))
  await shot(page, 'admin-stacks')
  const again = page.waitForRequest((request) => request.url().endsWith('/actions/prepare'))
  await active.row('on-trial').getByRole('button', { name: 'Try again' }).click()
  await again
})

test('[ASTACK-10] [ASTACK-16] A stack that instances use keeps all but its label and whether it is active', async () => {
  await createStacks('in-use')
  const { page, dialog, question, remove, choose } = await openStacks()
  await adjust(page, '/api/v1/stacks', (reply) => ({
    ...reply,
    stacks: (reply.stacks as object[]).map((stack) => ({ ...stack, instanceCount: 2 })),
  }))
  await page.reload()
  await choose('in-use', 'Edit Properties')
  for (const name of ['Name', 'Memory in MB']) expect(await dialog.getByLabel(name).isDisabled()).toBe(true)
  expect(await dialog.getByLabel('Label').isDisabled()).toBe(false)
  expect(await dialog.getByRole('checkbox', { name: 'Active' }).isDisabled()).toBe(false)
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await choose('in-use', 'Delete Stack')
  await sees(page.getByText('You cannot delete a stack that is still being used by instances.'))
  expect(await remove.isDisabled()).toBe(true)
  await question.getByRole('button', { name: 'Cancel' }).click()
})

test('[ASTACK-05] [ASTACK-17] A stack is deleted, and what is in the way of it is told', async () => {
  const [one] = await createStacks('worn-out')
  const { page, active, remove, choose } = await openStacks()
  await answer(page, `DELETE /api/v1/stacks/${one!.id}`, 400, { code: 'invalid_request', error: 'In the way' })
  await choose('worn-out', 'Delete Stack')
  await remove.click()
  await sees(screens.toast(page, 'In the way'))
  await page.unrouteAll()
  await page.reload()
  await choose('worn-out', 'Delete Stack')
  await remove.click()
  await active.row('worn-out').waitFor({ state: 'detached' })
})

test('[ASTACK-04] [CONST-10] Both tables have 30 stacks, and the rest behind a link', async () => {
  const many = await createStacks(...Array.from({ length: 31 }, (_, index) => `many-${index}`))
  onTestFinished(async () => {
    for (const { id } of many) await alice.client.call('stack.delete', { params: { stackId: id } })
  })
  const { page, active, inactive } = await openStacks()
  for (const table of [active, inactive]) {
    await sees(table.more)
    expect(await table.region.getByRole('row').count()).toBe(31)
    await table.more.click()
    await table.more.waitFor({ state: 'detached' })
    expect(await table.region.getByRole('row').count()).toBeGreaterThan(31)
    await sees(table.row('many-0').first(), table.row('many-30'))
    for (const { id } of many) await putAway(id)
    await page.reload()
  }
})

test('[ASTACK-15] Without an instance type the dialog of a stack says who makes one', async () => {
  const { page, dialog } = await openStacks()
  await adjust(page, '/api/v1/project-types', (reply) => ({ ...reply, types: [] }))
  await page.reload()
  await button(page, 'Create stack').click()
  await sees(
    dialog.getByText('No instance types available. Ask an Administrator to create a new instance type definition'),
  )
})
