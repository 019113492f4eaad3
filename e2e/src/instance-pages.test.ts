import { type InstanceState, roles } from '@app/contract'
import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import {
  adjust,
  admin,
  answer,
  button,
  callsOf,
  field,
  openWorkshop,
  screens,
  sees,
  shot,
  startInstance,
  watchText,
} from './harness/index.ts'

/*
 * Pages of teams, applications and instances: where their addresses lead, what they say when the platform refuses, and
 * an instance that moves. Refusals are put in on the way to the browser.
 */

const { platform, visitors, owner, team, instance } = await openWorkshop('oven-line')
const { people } = platform()
people.add('mia', { teamId: team.id, role: roles.member })
const member = await people.signIn('mia', admin.password)
const coldStore = await owner.client.call('application.create', { body: { name: 'Cold store', teamId: team.id } })

const here = (path: string) => `/instance/${instance.id}/${path}`
const api = (path = '') => `/api/v1/projects/${instance.id}${path}`
const refusal = { code: 'unexpected_error', error: 'It is broken', message: 'It is broken', statusCode: 400 }
const openPage = async (person = owner): Promise<Page> => (await visitors.open(platform(), person)).page
/** A message in the corner, also while a dialog is open. */
const said = (page: Page, text: string) => page.getByText(text).last()

test('[TEAM-13] [TEAM-17] [APP-09] [INST-05] [INST-06] Addresses without a page of their own lead to one', async () => {
  const page = await openPage()
  for (const [from, to] of [
    ['/team/example-bakery', '/team/example-bakery/applications'],
    ['/team/example-bakery/overview', '/team/example-bakery/applications'],
    [`/application/${coldStore.id}`, `/application/${coldStore.id}/instances`],
    [`/instance/${instance.id}`, here('overview')],
    [`/project/${instance.id}/settings/general`, here('settings/general')],
  ]) {
    await page.goto(from!)
    await page.waitForURL(`**${to}`)
  }
  expect(await page.getByRole('main').getByRole('textbox').count(), 'fields for the name').toBe(0)
})

test('[INST-09] An instance that does not exist is not found', async () => {
  const page = await openPage()
  await page.goto('/instance/none')
  await sees(screens.heading(page, /not found/i))
})

test('[APP-12] [INST-47] [INST-48] Every page of an application is there', async () => {
  const page = await openPage()
  const applicationId = instance.application.id
  const params = { applicationId }
  const pipeline = await owner.client.call('pipeline.create', { params, body: { name: 'Bread' } })
  const at = (path: string) => `/application/${applicationId}/${path}`
  const pipelinePath = `pipelines/${pipeline.id}`
  const opens = async (path: string, text: string | RegExp, end = path) => {
    await page.evaluate(`history.pushState({}, '', ${JSON.stringify(at(path))})`)
    await page.waitForURL(`**${at(end)}`)
    await page.getByRole('main').getByText(text).first().waitFor()
  }
  await page.goto(at('instances'))
  await sees(page.getByRole('table').getByText('oven-line'))
  await opens('instances/create', 'Create Instance')
  await sees(page.getByRole('heading', { level: 1 }))
  // A link of the trail leads to a page above, which is not the current one.
  const trail = page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link')
  expect(await trail.count()).toBe(1)
  expect(await trail.getAttribute('aria-current')).toBeNull()
  await opens('pipelines', 'Bread')
  await opens('pipelines/create', 'Pipeline Name')
  await opens(pipelinePath, 'Stage Name', `${pipelinePath}/stages/create`)
  const choice = page.getByRole('combobox').filter({ hasText: 'oven-line' })
  await choice.waitFor()
  const body = { name: 'Ovens', instanceId: instance.id }
  const stage = await owner.client.call('pipeline.addStage', { params: { ...params, pipelineId: pipeline.id }, body })
  await opens('settings', 'Application ID')
  await opens(`${pipelinePath}/stages/create`, 'Every instance of this application has a stage already')
  expect(await choice.count()).toBe(0)
  await opens(`${pipelinePath}/stages/${stage.id}/edit`, 'Edit Stage')
  await opens('logs', 'Started flows')
  await opens('activity', 'Instance created')
  await owner.client.call('pipeline.delete', { params: { ...params, pipelineId: pipeline.id } })
})

test('The form of a new instance has its heading while its application is still being read', async () => {
  const page = await openPage()
  const { id } = coldStore
  const read = Promise.withResolvers<void>()
  await page.route(
    ({ pathname }) => pathname === `/api/v1/applications/${id}`,
    async (route) => {
      await read.promise
      await route.fallback()
    },
  )
  await page.goto(`/application/${id}/instances/create`)
  await sees(page.getByRole('heading', { level: 1, name: 'Create Instance' }))
  expect(await field(page, 'Instance name').count()).toBe(0)
  read.resolve()
  await sees(field(page, 'Instance name'))
})

test('[INST-02] Back from the form of an application to the form of an instance leads home', async () => {
  const page = await openPage()
  await page.goto('/team/example-bakery/applications/create')
  await sees(screens.heading(page, 'Create Application'))
  await page.keyboard.press('Control+k')
  await page.getByPlaceholder('Search or run...').fill('Create Instance')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/team/example-bakery/applications')
})

test('[APP-16] An instance moves to another application, and a second browser sees it there', async () => {
  const page = await openPage()
  const second = await visitors.open(platform(), owner)
  const { id } = await startInstance(owner.client, 'pack-line', instance.application.id)
  const api = (path: string) => `/api/v1/projects/${id}${path}`
  const here = (path: string) => `/instance/${id}/${path}`
  const before = await owner.client.call('instance.get', { params: { instanceId: id } })
  await page.goto(here('settings/danger'))
  await second.page.goto(`/application/${coldStore.id}/instances`)
  await sees(screens.heading(second.page, 'Cold store'))
  expect(await second.page.getByText('pack-line', { exact: true }).count()).toBe(0)
  await button(page, 'Move Instance').click()
  const dialog = page.getByRole('dialog')
  await sees(dialog.getByRole('combobox').filter({ hasText: 'Cold store' }))
  await shot(page, 'instance-move')
  await button(page, 'Move Instance').last().click()
  await sees(screens.toast(page, 'Instance successfully moved to Cold store.'))
  await sees(page.getByRole('link', { name: 'Cold store' }).first())
  await sees(second.page.getByText('pack-line', { exact: true }).first())
  const after = await owner.client.call('instance.get', { params: { instanceId: id } })
  expect(after.meta.lastStartTime).toBe(before.meta.lastStartTime)
  await second.page.goto(here('audit-log'))
  await sees(second.page.getByText('pack-line from Oven line to Cold store').first())

  await answer(page, `PUT ${api('/application')}`, 404, { ...refusal, statusCode: 404, error: 'Not found' })
  await button(page, 'Move Instance').click()
  await button(page, 'Move Instance').last().click()
  await sees(said(page, 'Instance was not moved.'))
})

/** Holds the answer to this action back until `refuse` is called, which refuses it. */
async function holdBack(page: Page, action: string): Promise<() => void> {
  const { promise, resolve: refuse } = Promise.withResolvers<void>()
  await page.route(`**${api(`/actions/${action}`)}`, async (route) => {
    await promise
    await route.fulfill({ status: 409, json: { ...refusal, code: 'invalid_state', statusCode: 409 } })
  })
  return refuse
}
/** The overview of an instance in this state. */
async function openOverview(state: string): Promise<Page> {
  const page = await openPage()
  await adjust(page, api(), (reply) => ({ ...reply, meta: { ...(reply.meta as object), state } }))
  await page.goto(here('overview'))
  await sees(screens.status(page, state))
  return page
}
const actions = [
  ['Restart', 'running', 'restarting', 'Instance restart failed.'],
  ['Suspend', 'running', 'suspending', 'Instance failed to suspend.'],
  ['Start', 'stopped', 'starting', 'Instance start failed.'],
] as const

test('[INST-25] [INST-28] [INST-31] [INST-32] [INST-75] What was asked for shows faintly at once, and nothing else can be asked for meanwhile', async () => {
  for (const [item, before, state] of actions) {
    const page = await openOverview(before)
    expect(await page.locator('main span.border-dashed').count()).toBe(0)
    await holdBack(page, item.toLowerCase())
    await screens.menu.choose(page, 'Actions', item)
    await screens.status(page, state).waitFor()
    // A border in place of a ground.
    expect(await page.locator('main span.border-dashed').first().innerText()).toBe(state)
    await button(page, 'Actions').click()
    for (const name of ['Start', 'Restart', 'Suspend'])
      expect(await page.getByRole('menuitem', { name, exact: true }).getAttribute('aria-disabled')).toBe('true')
    await page.close()
  }
})

test('[INST-30] [INST-54] An action that is refused says so, and the state from before is back', async () => {
  for (const [item, before, state, text] of actions) {
    const page = await openOverview(before)
    const refuse = await holdBack(page, item.toLowerCase())
    await screens.menu.choose(page, 'Actions', item)
    await screens.status(page, state).waitFor()
    refuse()
    await sees(screens.toast(page, text), screens.status(page, before))
    expect(await page.locator('main span.border-dashed').count()).toBe(0)
    await page.close()
  }
})

test('[INST-55] A deletion that is refused says so', async () => {
  const page = await openOverview('stopped')
  await answer(page, `DELETE ${api()}`, 400, refusal)
  await screens.menu.choose(page, 'Actions', 'Delete')
  await page.getByRole('alertdialog').getByRole('textbox').fill('oven-line')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await sees(screens.toast(page, 'Instance failed to delete.'), screens.status(page, 'stopped'))
})

/** Puts a state into the answers about the states of all instances; `undefined` takes it away. */
async function listed(page: Page, meta: Partial<InstanceState['meta']> | undefined): Promise<void> {
  await adjust(page, `/api/v1/teams/${team.id}/applications/status`, (reply) => {
    const { applications } = reply as { applications: { id: string; instances: Partial<InstanceState>[] }[] }
    const change = ({ meta: old, ...one }: Partial<InstanceState>) => ({
      ...one,
      ...(meta ? { meta: { ...old, ...meta } } : {}),
    })
    return { ...reply, applications: applications.map((one) => ({ ...one, instances: one.instances.map(change) })) }
  })
}

test('[INST-24] [INST-26] [INST-27] A state that is not there yet turns, one that cannot be read is stopped, in grey with a stop sign', async () => {
  const page = await openPage()
  await listed(page, { state: '' })
  await page.goto('/team/example-bakery/applications')
  await sees(page.getByText('Loading status').first())
  await page.unrouteAll()
  await adjust(page, `/api/v1/teams/${team.id}/applications/status`, (reply) => ({ ...reply, applications: [] }))
  await page.reload()
  /** The ground of a badge, and whether a stop sign or a dot stands before its word. */
  const look = async (state: string) => {
    const badge = screens.status(page, state)
    await badge.waitFor()
    const [, tone] = /\bbg-(\w+)-soft/.exec((await badge.getAttribute('class')) ?? '') ?? []
    return [tone, await badge.locator('svg.lucide-square').count(), await badge.locator('[data-part=dot]').count()]
  }
  expect(await look('stopped')).toEqual(['idle', 1, 0])
  await shot(page, 'instance-stopped')
  for (const [state, expected] of [
    ['crashed', ['bad', 0, 1]],
    ['unknown', ['idle', 0, 0]],
    ['rollback', ['idle', 0, 0]],
  ] as const) {
    await page.unrouteAll()
    await listed(page, { state })
    await page.reload()
    expect([state, ...(await look(state))]).toEqual([state, ...expected])
  }
})

test('[APP-31] Where nothing is pushed, lists of instances are asked for every 10 seconds', async () => {
  const { page, expectProblem } = await visitors.open(platform(), owner)
  expectProblem(/ERR_FAILED/)
  await page.route('**/api/v1/events*', (route) => route.abort())
  await page.goto('/team/example-bakery/applications')
  await sees(screens.status(page, 'running'))
  const asked = () => callsOf(page, `/api/v1/teams/${team.id}/applications/status`)
  await expect.poll(asked).toHaveLength(1)
  await listed(page, { state: 'suspended' })
  await sees(screens.status(page, 'suspended'))
  const [first = 0, second = 0] = await asked()
  expect(second - first).toBeGreaterThan(9_900)
  expect(second - first).toBeLessThan(20_000)
})

/** Answers changes of the instance in the platform's stead. */
const replyToChange = (page: Page, status: number, json: object) => answer(page, `PUT ${api()}`, status, json as never)
async function chooseOtherStack(within: Locator): Promise<void> {
  await within.getByRole('combobox').last().click()
  await within.getByRole('option', { name: /4\.1/ }).click()
}

test('[INST-41] [INST-56] [INST-66] Another type has to be another, and how it went is said', async () => {
  const page = await openPage()
  await replyToChange(page, 400, refusal)
  await page.goto(here('settings/change-type'))
  await sees(button(page, 'Change Type'))
  expect(await button(page, 'Change Type').isDisabled()).toBe(true)
  await chooseOtherStack(page.getByRole('main'))
  await button(page, 'Change Type').click()
  await sees(screens.toast(page, 'Instance update failed.'))
  await replyToChange(page, 200, {})
  await button(page, 'Change Type').click()
  await sees(screens.toast(page, 'Instance successfully updated.'))
  await page.waitForURL(`**${here('settings/general')}`)
})

test('[INST-41] [INST-59] [INST-69] Another stack has to be another, and how it went is said', async () => {
  const page = await openPage()
  await page.goto(here('settings/general'))
  for (const [status, json, told] of [
    [200, {}, 'Instance stack successfully updated.'],
    [400, refusal, 'Instance stack was not updated due to an error.'],
  ] as const) {
    await replyToChange(page, status, json)
    await button(page, 'Change Stack').click()
    const dialog = page.getByRole('dialog')
    const change = dialog.getByRole('button', { name: 'Change Stack' })
    await sees(change)
    expect(await change.isDisabled()).toBe(true)
    await chooseOtherStack(dialog)
    await change.click()
    await sees(said(page, told))
  }
})

test('[INST-45] Without an instance nothing is changed, and for three and a half seconds it is said', async () => {
  const page = await openPage()
  await adjust(page, api(), (whole) => ({ ...whole, projectType: { id: '', name: '' } }))
  await page.goto(here('settings/change-type'))
  let sent = 0
  page.on('request', (call) => (sent += Number(call.method() === 'PUT')))
  const told = 'No instance is selected. Try refreshing your browser and try again'
  const lifeOf = await watchText(page, told)
  await button(page, 'Change Type').click()
  await sees(screens.toast(page, told))
  const life = await lifeOf()
  expect(life).toBeGreaterThan(3_400)
  expect(life).toBeLessThan(7_000)
  expect(sent).toBe(0)
})

test('[INST-52] [INST-58] A refused import says so at the field, and the secret goes without spaces around it', async () => {
  const page = await openPage()
  const wrong = { ...refusal, code: 'invalid_credentials_secret', statusCode: 403, fields: { credsSecret: 'Not this' } }
  await answer(page, `POST ${api('/import')}`, 403, wrong)
  const asked = page.waitForRequest((call) => call.url().endsWith(api('/import')))
  const file = (text: string) => ({ name: 'flows.json', mimeType: 'application/json', buffer: Buffer.from(text) })
  await page.goto(here('settings/danger'))
  await button(page, 'Import Instance').click()
  await page.getByLabel('Flow file').setInputFiles(file('[]'))
  await page.getByLabel('Credentials file').setInputFiles(file('{}'))
  await page.getByLabel('Credentials secret').fill(' s ')
  await button(page, 'Import').click()
  expect((await asked).postDataJSON()).toEqual({ flows: '[]', credentials: '{}', credsSecret: 's' })
  await sees(said(page, 'Failed to import flows.'), page.getByText('Not this'))
})

test('[INST-38] [INST-43] [INST-57] [INST-62] [INST-81] The form of an instance offers what there is, and says what was refused', async () => {
  const { page, expectProblem } = await visitors.open(platform(), owner)
  expectProblem(/status of 502/)
  const types = await owner.client.call('instanceType.list', { query: {} })
  const first = types.types[0]!
  await adjust(page, '/api/v1/project-types', () => ({
    ...types,
    types: [first, { ...first, id: 'other', name: 'Large', description: 'With more memory', defaultStack: null }],
  }))
  const stacks = await owner.client.call('stack.list', { query: {} })
  const templates = await owner.client.call('template.list', { query: {} })
  await page.route('**/api/v1/stacks?*projectType=other*', (route) => {
    const large = { ...stacks.stacks[0], id: 'large', label: 'Large Node-RED', replacedBy: undefined }
    return route.fulfill({ json: { ...stacks, count: 1, stacks: [large] } })
  })
  await answer(page, 'POST /api/v1/projects', 502)
  await page.goto(`/application/${coldStore.id}/instances/create`)
  await sees(page.getByText('With more memory'), page.getByText(first.description).first())
  await sees(page.getByRole('combobox').filter({ hasText: templates.templates[0]!.name }))
  await button(page, 'Create Instance').click()
  await sees(screens.toast(page, 'Failed to create instance'))
  await page.getByRole('radio', { name: /Large/ }).click()
  await sees(page.getByRole('combobox').filter({ hasText: 'Large Node-RED' }))

  await answer(page, 'POST /api/v1/projects', 400, refusal)
  await page.goto(here('settings/general'))
  await sees(page.getByText('can not be changed later').or(page.getByText('Instance ID')).first())
  expect(await page.getByRole('main').getByRole('textbox').count()).toBe(0)
  await page.getByRole('link', { name: 'Duplicate Instance' }).click()
  await button(page, 'Duplicate Instance').click()
  await sees(screens.toast(page, 'Instance failed to duplicate.'))
  const seenByMember = await openPage(member)
  await seenByMember.goto(here('settings/general'))
  await sees(seenByMember.getByText('Instance ID'))
  expect(await seenByMember.getByText('Duplicate Instance').count()).toBe(0)
})

test('[INST-40] [INST-63] [INST-64] [INST-65] Without types, stacks or templates the form says who has to make one', async () => {
  const page = await openPage()
  for (const [path, key, text] of [
    [
      '/api/v1/project-types',
      'types',
      'No instance types available. Ask an Administrator to create a new instance type',
    ],
    [
      '/api/v1/stacks',
      'stacks',
      'No stacks available for this instance type. Ask an Administrator to create a new stack definition',
    ],
    [
      '/api/v1/templates',
      'templates',
      'No templates available. Ask an Administrator to create a new template definition',
    ],
  ]) {
    await page.unrouteAll()
    await adjust(page, path!, (reply) => ({ ...reply, [key!]: [] }))
    await page.goto('/team/example-bakery/instances/create')
    await sees(page.getByText(text!))
    await field(page, 'Application').click()
    await page.getByRole('option', { name: 'Cold store' }).click()
    expect(await button(page, 'Create Instance').isDisabled()).toBe(true)
  }
  await page.unrouteAll()
  await page.goto('/team/example-bakery/instances/create')
  await sees(field(page, 'Stack').filter({ hasText: 'Node-RED' }))
  expect(await button(page, 'Create Instance').isDisabled(), 'without an application').toBe(true)
  await field(page, 'Application').click()
  await page.getByRole('option', { name: 'Cold store' }).click()
  await expect.poll(() => button(page, 'Create Instance').isEnabled()).toBe(true)
  await field(page, 'Instance name').fill('')
  await expect.poll(() => button(page, 'Create Instance').isDisabled()).toBe(true)
})

test('[APP-22] [APP-23] [APP-24] A refused application says what was refused', async () => {
  const page = await openPage()
  await answer(page, 'POST /api/v1/applications', 400, refusal)
  await page.goto('/team/example-bakery/applications/create')
  await field(page, 'Application name').fill('Mill')
  await button(page, 'Create Application').click()
  await sees(screens.toast(page, 'Failed to create application: It is broken'))

  const empty = await owner.client.call('application.create', { body: { name: 'Empty', teamId: team.id } })
  const path = `/api/v1/applications/${empty.id}`
  await answer(page, `PUT ${path}`, 400, refusal)
  await answer(page, `DELETE ${path}`, 400, refusal)
  await page.goto(`/application/${empty.id}/settings`)
  await button(page, 'Edit Application Name').click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Mill')
  await button(page, 'Save').click()
  await sees(screens.toast(page, 'Unable to update Application.'))
  const remove = async () => {
    await button(page, 'Delete Application').click()
    await page.getByRole('alertdialog').getByRole('textbox').fill('Empty')
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  }
  await remove()
  await sees(screens.toast(page, 'Application failed to delete: It is broken'))

  // Somebody else deletes it while its page is open.
  await page.unrouteAll()
  await owner.client.call('application.delete', { params: { applicationId: empty.id } })
  await sees(screens.heading(page, /not found/i))
})

test('[TEAM-01] [TAUD-02] [APP-06] [APP-29] [INST-13] Who may not create a team, an instance or read the log is not led to it', async () => {
  const page = await openPage(member)
  await page.goto('/team/example-bakery/audit-log')
  await page.waitForURL('**/team/example-bakery/applications')
  await page.goto('/team/example-bakery/instances')
  await sees(page.getByText('oven-line', { exact: true }).first())
  expect(await page.getByRole('link', { name: 'Create Instance' }).count()).toBe(0)
  await page.goto(here('overview'))
  await sees(page.getByRole('link', { name: 'Open Editor' }).first())
  expect(await button(page, 'Actions').count()).toBe(0)
  await adjust(page, `/api/v1/teams/${team.id}/applications`, (reply) => ({ ...reply, count: 0, applications: [] }))
  await page.goto('/team/example-bakery/applications')
  await sees(page.getByText('Get Started with your First Application'))
  expect(await page.getByRole('link', { name: 'Create Application' }).count()).toBe(0)
  await page.unrouteAll()
  const off = async (at: Page) => adjust(at, '/api/v1/settings', (reply) => ({ ...reply, 'team:create': false }))
  await off(page)
  await page.goto('/team/create')
  await sees(page.getByText('Only administrators create teams on this platform.'))
  const alice = await openPage(await platform().people.signIn(admin.username, admin.password))
  await off(alice)
  await alice.goto('/team/create')
  await sees(field(alice, 'Team name'))
  await page.unrouteAll()
  await page.goto('/team/create')
  await sees(field(page, 'Team name'))
  const ownersPage = await openPage()
  await ownersPage.goto('/team/example-bakery/instances')
  await sees(ownersPage.getByRole('link', { name: 'Create Instance' }).first())
})

test('[ENV-12] [PAL-04] Saved settings are told of for six seconds; modules go with name, version and origin', async () => {
  const page = await openPage()
  const saved = 'Instance settings successfully updated. NOTE: changes will be applied once the instance is restarted.'
  await answer(page, `PUT ${api()}`, 200, {})
  await page.goto(here('settings/palette'))
  await field(page, 'Module').fill('node-red-node-random')
  await field(page, 'Version').fill('~0.4.0')
  await button(page, 'Add').click()
  const asked = page.waitForRequest((call) => call.method() === 'PUT')
  const lifeOf = await watchText(page, saved)
  await button(page, 'Save settings').click()
  expect((await asked).postDataJSON()).toMatchObject({
    settings: { palette_modules: [{ name: 'node-red-node-random', version: '~0.4.0', local: false }] },
  })
  await sees(screens.toast(page, saved))
  const life = await lifeOf()
  expect(life).toBeGreaterThan(5_900)
  expect(life).toBeLessThan(9_000)
})
