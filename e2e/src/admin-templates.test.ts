import type { Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { admin, answer, button, createTeam, field, openConsole, screens, sees, shot, until } from './harness/index.ts'

const { platform, visitors } = await openConsole()
const { people } = platform()
people.add('bob')
const alice = await people.signIn(admin.username, admin.password)
const bob = await people.signIn('bob', admin.password)

/** A page of the administrator. */
const open = async (path = 'templates') => {
  const { page } = await visitors.open(platform(), alice)
  await page.goto(`/admin/${path}`)
  return page
}
/** The page of a new template. */
const openNew = () => open('templates/create/settings')
const create = (page: Page) => button(page, 'Create template')
const name = (page: Page) => field(page, 'Name')
const section = (page: Page, link: string) =>
  page.getByRole('navigation', { name: 'Template' }).getByRole('link', { name: link }).click()
const table = (page: Page) => page.getByRole('table', { name: 'Templates' })

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

test('[ATPL-04] [ATPL-08] [ATPL-09] [ATPL-10] A button of the list leads to a new template, and back again', async () => {
  const page = await open()
  const begin = page.getByRole('link', { name: 'Create template' })
  await begin.click()
  await page.waitForURL('**/admin/templates/create/settings')
  await seesTrail(page, 'Create a new template')
  await sees(create(page))
  expect(await name(page).inputValue()).toBe('')
  await button(page, 'Cancel').click()
  await page.waitForURL('**/admin/templates')
  await sees(begin)
})

test('[ATPL-13] [ATPL-20] [ATPL-21] The settings of a template stand in three groups, and need a name', async () => {
  const page = await openNew()
  for (const card of ['General', 'Editor', 'External Modules'])
    await sees(page.getByRole('heading', { name: card, exact: true }))
  const general = page.locator('section', { has: page.getByRole('heading', { name: 'General', exact: true }) }).last()
  await sees(
    general.getByLabel('Name', { exact: true }),
    general.getByRole('checkbox', { name: 'Active' }),
    general.getByLabel('Description'),
  )
  // Nobody is blamed before they began.
  expect([await create(page).isDisabled(), await page.getByText('Required').count()]).toEqual([true, 0])
  await name(page).fill('Bakery')
  await name(page).fill('')
  await sees(page.getByText('Required'))
  expect(await create(page).isDisabled()).toBe(true)
  await name(page).fill('Bakery')
  for (const label of ['Editor URL path', 'Dashboard URL path']) {
    await page.getByRole('textbox', { name: label }).fill('A b')
    await sees(page.getByText('Must contain only 0-9 a-z _ - /'))
    await page.getByRole('textbox', { name: label }).fill('')
    await page.getByText('Must contain only 0-9 a-z _ - /').waitFor({ state: 'detached' })
  }
})

test('[ATPL-14] [ATPL-15] A template has a way to sign in, variables and modules', async () => {
  const page = await openNew()
  await section(page, 'Security')
  await page.getByRole('combobox', { name: 'Sign-in for HTTP endpoints' }).click()
  for (const option of ['None: anyone who has the address', 'One user name and password', 'Members of the team'])
    await sees(page.getByRole('option', { name: option }))
  await page.getByRole('option', { name: 'One user name and password' }).click()
  await page.getByRole('textbox', { name: 'User name' }).fill('baker')
  await page.getByRole('textbox', { name: 'Password' }).fill('flour')
  await section(page, 'Environment')
  for (const [variable, value] of [
    ['OVEN', '1'],
    ['MILL', '2'],
  ] as const) {
    await page.getByLabel('New name').fill(variable)
    await page.getByLabel('New value').fill(value)
    await button(page, 'Add').click()
  }
  const variables = page.getByRole('table', { name: 'Environment variables' })
  for (const [at, variable] of ['OVEN', 'MILL'].entries())
    expect(await variables.getByRole('textbox', { name: 'Name', exact: true }).nth(at).inputValue()).toBe(variable)
  await section(page, 'Palette')
  await page.getByLabel('Module', { exact: true }).fill('node-red-node-random')
  await button(page, 'Add').click()
  await sees(button(page, 'Remove node-red-node-random'))
})

test('[PAL-02] [ATPL-18] The locks of a template are sent with it, and the list is shown again', async () => {
  const page = await openNew()
  await name(page).fill('Locked')
  await button(page, 'Lock Editor title: instances may change it').click()
  await shot(page, 'admin-template-settings')
  await section(page, 'Palette')
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
  const asked = page.waitForRequest((call) => call.method() === 'POST' && call.url().endsWith('/api/v1/templates'))
  await create(page).click()
  expect((await asked).postDataJSON()).toMatchObject({
    policy: {
      header_title: false,
      palette_allowInstall: false,
      palette_nodesExcludes: true,
      palette_denyList: true,
      palette_modules: false,
    },
  })
  await page.waitForURL('**/admin/templates')
  await sees(table(page).getByText('Locked', { exact: true }))
})

test('[ATPL-23] What fails while a template is made is told', async () => {
  const { page, expectProblem } = await visitors.open(platform(), alice)
  expectProblem(/500/)
  await page.goto('/admin/templates/create/settings')
  await name(page).fill('Default')
  for (const [reply, told] of [
    [undefined, 'Unknown Error. Check logs.'],
    [{ code: 'unexpected_error', error: 'The disk is full' }, 'The disk is full'],
  ] as const) {
    await answer(page, 'POST /api/v1/templates', 500, reply)
    await create(page).click()
    await sees(screens.toast(page, told))
    await page.unrouteAll()
  }
  await create(page).click()
  await sees(page.getByText('Name unavailable'))
})

const columns = ['Active', 'Template', 'Description', 'Created by', 'Instance Count']
/** Makes as many as two pages hold, for a test that looks at the list. */
async function createMany() {
  const made = await Promise.all(
    Array.from({ length: 30 }, (_, index) => ({
      name: `many-${index}`,
      active: index > 3,
      description: `For mill ${index % 3}`,
    })).map((body) => alice.client.call('template.create', { body })),
  )
  onTestFinished(async () => {
    for (const { id } of made) await alice.client.call('template.delete', { params: { templateId: id } })
  })
  return made
}

test('[ATPL-01] [ATPL-05] [CONST-10] Templates are listed 30 at a time, and sorted by each column', async () => {
  await createMany()
  // One that an instance uses, so that counts differ.
  await createLocked('Presses')
  const page = await open()
  const more = button(page, 'Load more...')
  await sees(more)
  expect(await table(page).getByRole('row').count()).toBe(31)
  await more.click()
  await more.waitFor({ state: 'detached' })
  await sees(table(page).getByText('many-29'), table(page).getByText('Default', { exact: true }))
  const rows = async () => (await table(page).getByRole('row').allInnerTexts()).slice(1)
  for (const header of columns) {
    const sort = table(page).getByRole('columnheader', { name: header, exact: true }).getByRole('button')
    await sort.click()
    const ascending = await rows()
    await sort.click()
    expect([header, (await rows()).join() !== ascending.join()]).toEqual([header, true])
  }
})

test('[ATPL-02] Templates are found by name, description, maker and id', async () => {
  const { id } = await alice.client.call('template.create', {
    body: { name: 'Rye line', description: 'For the north' },
  })
  const page = await open()
  for (const text of ['ye lin', 'he north', 'alice', id]) {
    await page.getByLabel('Search Templates...').fill('no such template')
    await table(page).getByText('Rye line').waitFor({ state: 'detached' })
    await page.getByLabel('Search Templates...').fill(text)
    await sees(table(page).getByText('Rye line'))
  }
})

test('[ATPL-03] [ATPL-07] [ATPL-09] [ATPL-12] A template is opened and deleted from the list; an unknown one is not found', async () => {
  await alice.client.call('template.create', { body: { name: 'Worn out' } })
  const page = await open()
  await screens.menu.choose(page, 'Actions for Worn out', 'Edit Template')
  await seesTrail(page, 'Worn out')
  await page.goBack()
  await screens.menu.choose(page, 'Actions for Worn out', 'Delete Template')
  const question = page.getByRole('alertdialog')
  await sees(question.getByText('Are you sure you want to delete this template?'))
  await button(page, 'Cancel').click()
  await sees(table(page).getByText('Worn out', { exact: true }))
  await screens.menu.choose(page, 'Actions for Worn out', 'Delete Template')
  await question.getByRole('button', { name: 'Delete' }).click()
  await table(page).getByText('Worn out', { exact: true }).waitFor({ state: 'detached' })
  await page.goto('/admin/templates/none')
  await sees(page.getByRole('heading', { name: 'Page Not Found' }))
})

/** A template that locks the title of the editor and the palette, with an instance of it. */
async function createLocked(templateName: string) {
  const { id: template } = await alice.client.call('template.create', {
    body: {
      name: templateName,
      settings: { header_title: 'Ovens' },
      policy: {
        header_title: false,
        palette_allowInstall: false,
        palette_nodesExcludes: true,
        palette_denyList: true,
        palette_modules: false,
      },
    },
  })
  const { application } = await createTeam(bob.client, templateName)
  const [{ types }, { stacks }] = await Promise.all([
    bob.client.call('instanceType.list'),
    bob.client.call('stack.list', { query: { filter: 'active' } }),
  ])
  const stack = stacks.find((one) => one.properties.nodered === '4.1.15')!.id
  const name = templateName.toLowerCase()
  const body = { name, applicationId: application.id, template, projectType: types[0]!.id, stack }
  return bob.client.call('instance.create', { body })
}

test('[ISET-13] [PAL-02] An instance has locked what its template locks', async () => {
  const instance = await createLocked('Ovens')
  const { page } = await visitors.open(platform(), bob)
  await page.goto(`/instance/${instance.id}/settings/editor`)
  const title = page.getByLabel('Editor title')
  await sees(title)
  expect([await title.inputValue(), await title.isDisabled()]).toEqual(['Ovens', true])
  await sees(page.getByRole('button', { name: 'The template of this instance decides this setting' }).first())
  await page.getByRole('link', { name: 'Palette', exact: true }).click()
  const disabled = (label: string) => page.getByLabel(label, { exact: false }).first().isDisabled()
  await sees(page.getByLabel('Excluded nodes'))
  expect(await disabled('Allow installing nodes')).toBe(true)
  expect(await Promise.all(['Excluded nodes', 'Denied nodes'].map(disabled))).toEqual([false, false])
  expect(await page.getByLabel('Module', { exact: true }).count()).toBe(0)
  const change = { params: { instanceId: instance.id }, body: { settings: { header: { title: 'Mine' } } } }
  await expect(bob.client.call('instance.update', change)).rejects.toMatchObject({ status: 400 })
})

test('[ATPL-06] A template that instances use is not deleted', async () => {
  await createLocked('Mills')
  const page = await open()
  await screens.menu.choose(page, 'Actions for Mills', 'Delete Template')
  await sees(page.getByText('You cannot delete a template that is still being used by instances.'))
  expect(await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true)
})

test('[ATPL-11] [ATPL-16] [ATPL-17] [ATPL-19] [ATPL-27] Of two administrators who edit a template the second is told, and chooses', async () => {
  const page = await open()
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
})
