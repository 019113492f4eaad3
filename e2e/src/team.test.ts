import { auditLabel, defaultTemplateSettings, type Instance } from '@app/contract'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import {
  answer,
  button,
  createInstance,
  createTeam,
  field,
  openTeam,
  screens,
  sees,
  shot,
  untilState,
} from './harness/index.ts'

const { platform, visitors, owner, application } = await openTeam('Bakery')
/** A team with an application of two running instances, which no test changes. */
const bakery = { slug: 'bakery', oven: '' }
const made: Instance[] = []
// One after the other, as lists show them.
for (const name of ['oven-line', 'oven-line-two'])
  made.push(await createInstance(owner.client, { name, applicationId: application.id }))
await Promise.all(made.map(({ id }) => untilState(owner.client, id, 'running')))
bakery.oven = made[0]!.id

/** A page of the owner, which is closed with the test. */
const open = async () => (await visitors.open(platform(), owner)).page

/** A team without applications. */
async function emptyTeam(name: string) {
  const { types } = await owner.client.call('team.types', { query: {} })
  return owner.client.call('team.create', { body: { name, type: types[0]!.id } })
}

/** Types these letters into the field that has the focus, all before any timer of the page can run. */
const typeAtOnce = (page: Page, letters: string) =>
  page.evaluate(`for (const letter of ${JSON.stringify(letters)}) document.execCommand('insertText', false, letter)`)

/** Milliseconds from the last letter typed to the calls to this path, one figure a call; set `watchTyping` before. */
const callsAfterTyping = (page: Page, path: string) =>
  page.evaluate<number[]>(`performance.getEntriesByType('resource')
    .filter((entry) => entry.name.endsWith('${path}') && entry.startTime > lastTyped)
    .map((entry) => entry.startTime - lastTyped)`)
const watchTyping = (page: Page) =>
  page.evaluate(`addEventListener('input', (event) => (globalThis.lastTyped = event.timeStamp), true)`)

/** The form of a new team, which does nothing until name and slug are there. */
async function openCreate() {
  const page = await open()
  await page.goto('/team/create')
  await sees(page.getByRole('radio', { name: /Standard.*free/s, checked: true }))
  const [name, slug] = [page.getByLabel('Team name'), page.getByLabel('URL slug')]
  return { page, name, slug, create: button(page, 'Create Team') }
}

test('[TEAM-04] [TEAM-05] [TEAM-11] [TEAM-12] A team is created of a type, with a name and the slug that follows from it', async () => {
  const { page, name, slug, create } = await openCreate()
  expect(await create.isDisabled()).toBe(true)
  await name.fill('Example Bakery & Söhne')
  await expect.poll(() => slug.inputValue()).toBe('example-bakery--shne')
  await expect.poll(() => create.isEnabled()).toBe(true)
  await name.fill('')
  await slug.fill('example-bakery')
  expect(await create.isDisabled()).toBe(true)
  await name.fill('Example Bakery')
  await slug.fill('')
  expect(await create.isDisabled()).toBe(true)
  await slug.fill('example-bakery')
  await create.click()
  await page.waitForURL('**/team/example-bakery/applications')
})

test('[TEAM-06] [TEAM-08] The name of a team is no URL, and its slug is not blank', async () => {
  const { page, name, slug, create } = await openCreate()
  await name.fill('See https://example.com')
  await name.blur()
  await sees(page.getByText('Team name can not contain URL'))
  await name.fill('Corner Mill')
  await slug.fill('')
  await slug.blur()
  await sees(page.getByText('Must not be blank'))
  expect(await create.isDisabled()).toBe(true)
  await slug.fill('typed')
  await page.getByText('Must not be blank').waitFor({ state: 'detached' })
  await slug.fill('')
  await sees(page.getByText('Must not be blank'))
  expect([await slug.inputValue(), await create.isDisabled()]).toEqual(['', true])
  await slug.fill('Not A Slug')
  await sees(page.getByText('Must only contain a-z 0-9 - _'))
})

test('[TEAM-09] [TEAM-10] The slug is checked once the typing paused, and again when the team is created', async () => {
  const { page, name, slug, create } = await openCreate()
  await name.fill('Slug Bakery')
  await watchTyping(page)
  await slug.press('Control+a')
  await typeAtOnce(page, 'create')
  await sees(page.getByText('Slug unavailable'))
  // Once for what was typed in a row, and not before the 200 ms are over.
  const [waited, ...more] = await callsAfterTyping(page, '/check-slug')
  expect(more).toEqual([])
  expect(waited).toBeGreaterThanOrEqual(199)
  expect(waited).toBeLessThan(1_000)
  await shot(page, 'team-create')
  const { promise: asked, resolve: reply } = Promise.withResolvers<void>()
  await page.route('**/check-slug', async (route) => {
    await asked
    await route.fallback()
  })
  await slug.fill('slug-bakery-two')
  await page.getByText('Slug unavailable').waitFor({ state: 'detached' })
  await answer(page, 'POST /api/v1/teams', 409, { code: 'invalid_slug', error: 'The slug is already in use' })
  await create.click()
  await sees(page.getByText('Slug already in use'))
  // The late answer that it was free takes nothing back.
  const late = page.waitForResponse('**/check-slug')
  reply()
  await (await late).finished()
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))')
  await sees(page.getByText('Slug already in use'))
})

test('[APP-05] [APP-06] [APP-30] [INST-03] An empty team says how to begin', async () => {
  const page = await open()
  const { slug } = await emptyTeam('Nothing yet')
  await page.goto(`/team/${slug}/applications`)
  await sees(page.getByText('Get Started with your First Application'))
  await sees(page.getByRole('link', { name: 'Create Application' }))
  await shot(page, 'team-applications-empty')
  await page.goto(`/team/${slug}/instances`)
  await sees(page.getByText('Get Started with your First Node-RED Instance'))
  await shot(page, 'team-instances-empty')
  await page.goto(`/team/${slug}/instances/create`)
  await page.waitForURL(`**/team/${slug}/applications/create`)
})

test('[INST-37] [INST-39] [APP-07] [APP-08] The first application comes with an instance of a random name', async () => {
  const page = await open()
  const { slug } = await emptyTeam('First application')
  await page.goto(`/team/${slug}/applications/create`)
  await page.getByLabel('Application name').fill('Cold store')
  const name = page.getByLabel('Instance name')
  expect(await name.inputValue()).toMatch(/^[a-z]+-[a-z]+-[1-9]\d{3}$/)
  // Both forms list everything an instance is made of.
  await sees(page.getByRole('radio', { name: /Standard/ }), field(page, 'Stack'), field(page, 'Template'))
  for (const bad of ['1st-oven', 'oven line', 'öfen', '-oven']) {
    await name.fill(bad)
    await page.getByRole('button', { name: 'Create Application' }).click()
    await sees(page.getByText('Names must only include a→z, A→Z, -, 0→9 and can not start with 0→9'))
  }
  await shot(page, 'application-create')
  await name.fill('cold-store')
  await page.getByRole('button', { name: 'Create Application' }).click()
  await page.waitForURL(/\/application\/[^/]+\/instances(\?|$)/)
  await sees(page.getByText('cold-store').first(), screens.status(page, 'running'))
  await shot(page, 'application-instances')
})

test('[APP-14] [APP-16] [INST-01] [INST-60] A name that is taken is refused at the name', async () => {
  const page = await open()
  const { team } = await createTeam(owner.client, 'Names')
  await page.goto(`/team/${team.slug}/instances/create`)
  await sees(page.getByRole('radio', { name: /Standard/ }), field(page, 'Stack'), field(page, 'Template'))
  await page.getByLabel('Instance name').fill('Oven-Line')
  await page.getByRole('button', { name: 'Create Instance' }).click()
  await sees(page.getByText('The name is already in use'))
  await shot(page, 'instance-create')
  await page.getByLabel('Instance name').fill('new-name')
  await page.getByRole('button', { name: 'Create Instance' }).click()
  await page.waitForURL(/\/application\/[^/]+\/instances(\?|$)/)
  await page.getByRole('table').getByText('new-name').click()
  await page.waitForURL('**/instance/*/overview')
})

test('[INST-10] [INST-20] [AUDIT-22] The overview names versions and the latest events', async () => {
  const page = await open()
  await page.goto(`/instance/${bakery.oven}/overview`)
  await sees(
    screens.status(page, 'running'),
    page.getByText('5.0.7').first(),
    page.getByText(process.versions.node).first(),
    screens.heading(page, 'oven-line'),
  )
  const oven = await owner.client.call('instance.get', { params: { instanceId: bakery.oven } })
  const trail = page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: oven.application.name })
  expect(await trail.getAttribute('href')).toBe(`/application/${oven.application.id}/instances`)
  const detail = (label: string) =>
    page.locator('dt').getByText(label, { exact: true }).locator('xpath=following-sibling::dd[1]').innerText()
  for (const [label, value] of [
    ['Instance Type', oven.projectType.name],
    ['Stack', oven.stack.label],
    ['Template', oven.template.name],
    ['Node-RED', '5.0.7'],
    ['FlowForge runtime', oven.meta.versions!.launcher],
    ['Node.js', process.versions.node],
  ] as const)
    await expect.poll(() => detail(label)).toBe(value)
  expect(await detail('Process isolation')).toMatch(/^(Full|Partial, what is missing)$/)
  // In the words of the charts.
  await expect.poll(() => detail('Resources'), { timeout: 30_000 }).toMatch(/^[\d.,]+ MB · [\d.,]+ % of a core$/)
  await sees(page.getByText(auditLabel('project.created')).first(), page.getByText('Bob Example').first())
  await shot(page, 'instance-overview')
  await page.getByRole('link', { name: 'More...' }).click()
  await page.waitForURL('**/instance/*/audit-log**')
  await sees(page.getByText(auditLabel('project.created')).first())
  await shot(page, 'instance-activity')
})

test('[APP-01] [APP-02] [APP-03] The team lists its applications with their instances', async () => {
  const page = await open()
  const { team } = await createTeam(owner.client, 'Two lines')
  await owner.client.call('application.create', { body: { name: 'Cold store', teamId: team.id } })
  await page.goto(`/team/${team.slug}/applications`)
  await sees(page.getByText('Cold store'), page.getByText('0 instances', { exact: true }).first())
  await page.goto(`/team/${bakery.slug}/applications`)
  await sees(page.getByText('Oven line').first(), page.getByText('2 instances', { exact: true }))
  const line = page.getByRole('listitem').filter({ hasText: 'oven-line.localhost' })
  await sees(line.getByText('oven-line', { exact: true }), line.getByText('running'), line.getByText('Last Updated'))
  await sees(line.getByText('flows never deployed'))
  await shot(page, 'team-applications')
})

test('[APP-26] [APP-27] [APP-28] The team lists its instances in a table, which is searched and filtered', async () => {
  const page = await open()
  await page.goto(`/team/${bakery.slug}/applications`)
  await page.getByRole('link', { name: 'Instances' }).first().click()
  for (const name of ['Name', 'Status', 'Last Updated', 'Application'])
    await sees(page.getByRole('columnheader', { name }).first())
  const row = page.getByRole('row').filter({ hasText: 'oven-line-two' })
  await sees(
    row.getByText('running'),
    row.getByText('flows never deployed'),
    row.getByText(/^oven-line-two\.localhost/),
    row.getByText('Oven line', { exact: true }),
  )
  await page.getByPlaceholder('Search Instances...').fill('two')
  await expect.poll(() => page.getByText('oven-line', { exact: true }).count()).toBe(0)
  expect(await page.getByText('oven-line-two', { exact: true }).count()).toBe(1)
  await page.getByPlaceholder('Search Instances...').fill('')
  await shot(page, 'team-instances')
  await sees(row.getByRole('link', { name: 'Editor of oven-line-two' }), row.getByRole('button', { name: /^Actions/ }))
  await page.getByRole('combobox', { name: 'State:' }).click()
  await page.getByRole('option', { name: 'suspended' }).click()
  await page.waitForURL('**?state=suspended')
  await sees(page.getByText('No instance is suspended'))
  await button(page, 'Show All').click()
  await page.getByText('oven-line-two', { exact: true }).click()
  await page.waitForURL('**/instance/*/overview')
})

test('[TAUD-01] [AUDIT-04] [AUDIT-05] The team audit log shows it all, by day', async () => {
  const page = await open()
  await page.goto(`/team/${bakery.slug}/audit-log`)
  for (const key of ['team.created', 'application.created', 'project.created'] as const)
    await sees(page.getByText(auditLabel(key)).first())
  await sees(page.getByText(/^\d+ Events?$/).first())
  await shot(page, 'team-activity')
})

test('[LAYOUT-03] [LAYOUT-05] [LAYOUT-06] Header and side navigation keep their measures', async () => {
  const page = await open()
  await page.goto(`/team/${bakery.slug}/applications`)
  const width = async () => Math.round((await page.getByRole('navigation', { name: 'Main' }).boundingBox())?.width ?? 0)
  expect((await page.getByRole('banner').boundingBox())?.height).toBe(60)
  // It stays where it is while the page below it moves.
  await page.setViewportSize({ width: 1440, height: 200 })
  await page.mouse.move(700, 150)
  await page.mouse.wheel(0, 300)
  await expect.poll(async () => (await page.getByRole('heading', { level: 1 }).boundingBox())?.y).toBeLessThan(60)
  expect(await page.getByRole('banner').boundingBox()).toMatchObject({ y: 0, height: 60 })
  await page.setViewportSize({ width: 1440, height: 900 })
  expect(await width()).toBe(275)
  await page.getByRole('button', { name: 'Minimise' }).click()
  await expect.poll(width).toBe(54)
  await page.getByRole('button', { name: 'Expand' }).click()
  await expect.poll(width).toBe(275)
})

test('The longest name of a team leaves the header its menus', async () => {
  const team = await emptyTeam('Bakery of the long name '.repeat(4).slice(0, 80).trim())
  const page = await open()
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 800 })
    await page.goto(`/team/${team.slug}/applications`)
    await sees(button(page, `Team: ${team.name}`))
    const menu = (await page.getByRole('button', { name: /Bob Example/ }).boundingBox())!
    expect(menu.x + menu.width).toBeLessThanOrEqual(width)
    expect(await page.getByRole('banner').evaluate((it) => it.scrollWidth)).toBeLessThanOrEqual(width)
  }
})

test('[SHELL-21] [SHELL-22] The header has a menu of the own teams, and one of the user', async () => {
  const second = await createTeam(owner.client, 'Second of two')
  const page = await open()
  await page.goto(`/team/${bakery.slug}/applications`)
  const teams = page.getByRole('button', { name: /^Team: / })
  await teams.click()
  for (const { name } of (await owner.client.call('team.mine')).teams)
    await sees(page.getByRole('menuitem', { name: new RegExp(`^${name}`) }).first())
  await shot(page, 'shell-team-selector')
  await page.getByRole('menuitem', { name: /^Second of two/ }).click()
  await page.waitForURL(`**/team/${second.team.slug}/applications`)
  await teams.click()
  await page.getByRole('menuitem', { name: 'Create New Team' }).click()
  await page.waitForURL('**/team/create')
  await page.getByRole('button', { name: /Bob Example/ }).click()
  await sees(page.getByRole('menuitem', { name: 'Sign Out' }))
  await shot(page, 'shell-user-menu')
})

test('[LAYOUT-12] A row of an application has a column of 140 pixels, and one of 250 at most', async () => {
  const page = await open()
  await page.goto(`/team/${bakery.slug}/applications`)
  const line = page.getByRole('listitem').filter({ hasText: 'oven-line.localhost' })
  await line.waitFor()
  for (const width of [700, 1000, 1280, 2400]) {
    await page.setViewportSize({ width, height: 800 })
    const widths = await line
      .locator('> div')
      .evaluateAll((cells) => cells.map((cell) => Math.round(cell.getBoundingClientRect().width)))
    // Name, state, last update, chart; there is no room for a chart beside less than 1280 pixels.
    expect([width, widths[1], widths[3]]).toEqual([width, 140, width < 1280 ? 0 : 250])
    expect(Math.max(...widths.slice(1))).toBeLessThanOrEqual(250)
  }
})

test('[SHELL-04] [LAYOUT-07] What routes and calls name a project, screens name an instance', async () => {
  const page = await open()
  await page.goto(`/team/${bakery.slug}/applications`)
  await page.getByRole('link', { name: 'oven-line', exact: true }).click()
  await page.waitForURL('**/instance/*/overview')
  const path = new URL(page.url()).pathname
  const call = page.waitForRequest('**/api/v1/projects/*')
  await page.goto(path.replace('/instance/', '/project/'))
  await page.waitForURL(`**${path}`)
  await call
  await sees(page.getByRole('navigation', { name: 'Instance' }), page.getByText('Instance Type'))
  expect(await page.getByRole('main').innerText()).not.toMatch(/project/i)
  const header = (await page.getByRole('banner').boundingBox())!
  const title = (await page.getByRole('heading', { level: 1 }).boundingBox())!
  expect(title.y).toBeGreaterThanOrEqual(header.y + header.height)
  const status = (await screens.status(page, 'running').boundingBox())!
  const pages = (await page.getByRole('navigation', { name: 'Instance' }).boundingBox())!
  expect([status.y > header.y + header.height, status.y + status.height < pages.y]).toEqual([true, true])
  expect(await page.title()).toBe('Overview - oven-line - FlowForge')
})

test('[SHELL-40] Titles are made of section, name and product', async () => {
  const page = await open()
  const { application } = await owner.client.call('instance.get', { params: { instanceId: bakery.oven } })
  const at = (path: string) => `/instance/${bakery.oven}/${path}`
  for (const [from, title, to = from] of [
    [at('overview'), 'Overview - oven-line - FlowForge'],
    [at('audit-log'), 'Audit Log - oven-line - FlowForge'],
    [at('logs'), 'Node-RED Logs - oven-line - FlowForge'],
    [at('devices'), 'Remote Instances - oven-line - FlowForge'],
    [at('snapshots'), 'Snapshots - oven-line - FlowForge'],
    [at('settings'), 'Settings - oven-line - FlowForge', at('settings/general')],
    [`/application/${application.id}/instances`, `Instances - ${application.name} - FlowForge`],
    [`/team/${bakery.slug}/applications`, 'Applications - Bakery - FlowForge'],
  ] as const) {
    await page.goto(from)
    await expect.poll(() => page.title()).toBe(title)
    expect(new URL(page.url()).pathname).toBe(to)
  }
})

test('[LAYOUT-11] [SHELL-44] The audit log has its filters in a side column; titles end with the name of the product', async () => {
  const page = await open()
  await page.goto(`/team/${bakery.slug}/audit-log`)
  const filters = page.getByRole('region', { name: 'Filters' })
  await filters.waitFor()
  const column = (await filters.boundingBox())!
  expect(column.width).toBeLessThanOrEqual(240)
  const entry = (await page.getByText(auditLabel('team.created')).first().boundingBox())!
  expect(column.x).toBeGreaterThan(entry.x)
  expect(await page.title()).toBe('Audit Log - Bakery - FlowForge')
  expect(defaultTemplateSettings).toMatchObject({ page: { title: 'FlowForge' }, header: { title: 'FlowForge' } })
})
