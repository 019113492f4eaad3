import { auditLabel, type Instance, roles } from '@app/contract'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import {
  admin,
  button,
  createInstance,
  field,
  openWorkshop,
  screens,
  sees,
  shot,
  startInstance,
  untilState,
} from './harness/index.ts'

/* What is listed of an instance and its team: audit logs, modules, devices. */

const { platform, visitors, owner, team, instance } = await openWorkshop('oven-line')
const { people } = platform()
people.add('mia', { teamId: team.id, role: roles.member })

const here = (path: string) => `/instance/${instance.id}/${path}`
const openPage = async (person = owner): Promise<Page> => (await visitors.open(platform(), person)).page

/** The queries of the calls for audit logs that this page makes, each with the path it goes to. */
function auditCalls(page: Page): { path: string; query: Record<string, string> }[] {
  const calls: { path: string; query: Record<string, string> }[] = []
  page.on('request', (call) => {
    const { pathname: path, searchParams } = new URL(call.url())
    if (/^\/api\/.*\/audit-log$/.test(path)) calls.push({ path, query: Object.fromEntries(searchParams) })
  })
  return calls
}

/** The beginning of a day where the browser is, as calls have it. */
const startOf = (day: string) => new Date(`${day}T00:00`).toISOString()

test('[TAUD-03] [AUDIT-07] The log of a team is asked for 200 entries at a time, the rest with the same filters', async () => {
  platform().people.repeatEntry(team.id, 'mia', 205)
  const page = await openPage()
  const calls = auditCalls(page)
  await page.goto('/team/example-bakery/audit-log')
  await sees(page.getByText('200 Events', { exact: true }))
  const path = `/api/v1/teams/${team.id}/audit-log`
  expect(calls).toEqual([{ path, query: { limit: '200' } }])
  await page.getByLabel('User:').click()
  await page.getByRole('option', { name: 'Mia Example (mia)' }).click()
  await page.waitForURL('**?user=mia')
  await expect.poll(() => calls.at(-1)?.query).toEqual({ limit: '200', username: 'mia' })
  await sees(page.getByText('200 Events', { exact: true }))
  await button(page, 'Load more...').click()
  await sees(page.getByText('205 Events', { exact: true }))
  const cursor = expect.any(String) as string
  expect(calls.at(-1)).toEqual({ path, query: { limit: '200', username: 'mia', cursor } })
  expect(await button(page, 'Load more...').count()).toBe(0)

  // Every filter goes along, also with the rest.
  const { event } = (await owner.client.call('team.auditLog', { params: { teamId: team.id }, query: { limit: 1 } }))
    .log[0]!
  const kind = auditLabel(event)
  await page.getByLabel('Event type:').click()
  await page.getByRole('option', { name: kind, exact: true }).click()
  await page.waitForURL(`**?*event=*`)
  const [from, to] = ['2026-01-02', '2199-01-01']
  await page.getByLabel('From:').fill(from)
  await page.getByLabel('To:').fill(to)
  const query = { limit: '200', event, username: 'mia', from: startOf(from), to: startOf('2199-01-02') }
  await expect.poll(() => calls.at(-1)?.query).toEqual(query)
  await button(page, 'Load more...').click()
  await sees(page.getByText('205 Events', { exact: true }))
  expect(calls.at(-1)).toEqual({ path, query: { ...query, cursor } })
  await page.getByLabel('Search activity').fill('mia')
  await expect.poll(() => calls.at(-1)?.query).toEqual({ ...query, query: 'mia' })
})

test('[AUDIT-08] [AUDIT-09] [AUDIT-23] [INST-22] The log of an instance is chosen by its name, comes 200 at a time, and is narrowed by user', async () => {
  const { id: applicationId } = await owner.client.call('application.create', {
    body: { name: 'Logged', teamId: team.id },
  })
  const [flour, dough] = [
    await startInstance(owner.client, 'flour-line', applicationId),
    await startInstance(owner.client, 'dough-line', applicationId),
  ]
  await owner.client.call('instance.suspend', { params: { instanceId: dough.id } })
  await untilState(owner.client, dough.id, 'suspended')
  platform().people.repeatEntry(flour.id, 'mia', 205)
  const page = await openPage()
  const calls = auditCalls(page)
  const pathOf = ({ id }: Instance) => `/api/v1/projects/${id}/audit-log`
  const shows = (count: number) => sees(page.getByText(`${count} Events`, { exact: true }))
  await page.goto(`/application/${applicationId}/activity`)
  const choice = page.getByRole('combobox', { name: 'Application Instance:' })
  const suspended = page.getByText(auditLabel('project.suspended'))
  const choose = async ({ name }: Instance) => {
    await choice.click()
    await page.getByRole('option', { name }).click()
  }
  await choose(dough)
  await sees(suspended.first())
  await choose(flour)
  await shows(200)
  expect(await suspended.count()).toBe(0)
  // The running one is shown first; what was read is not asked for again.
  expect(calls).toEqual([flour, dough].map((one) => ({ path: pathOf(one), query: { limit: '200' } })))

  calls.length = 0
  const members = page.waitForRequest(`**/api/v1/teams/${team.id}/members`)
  await page.goto(`/instance/${flour.id}/audit-log`)
  await shows(200)
  await members
  expect(calls.length).toBeGreaterThan(0)
  for (const call of calls) expect(call).toEqual({ path: pathOf(flour), query: { limit: '200' } })
  await button(page, 'Load more...').click()
  const params = { instanceId: flour.id }
  const total = (await owner.client.call('instance.auditLog', { params, query: { limit: 1000 } })).log.length
  expect(total).toBeGreaterThan(205)
  await shows(total)
  const cursor = expect.any(String) as string
  expect(calls.at(-1)).toEqual({ path: pathOf(flour), query: { limit: '200', cursor } })
  await page.getByLabel('User:').click()
  const { members: people } = await owner.client.call('team.members', { params: { teamId: team.id } })
  const names = people.map(({ name, username }) => `${name} (${username})`)
  expect((await page.getByRole('option').allInnerTexts()).toSorted()).toEqual([...names, 'Show All'].toSorted())
  await page.getByRole('option', { name: 'Bob Example (bob)' }).click()
  await sees(page.getByText('Instance created').first())
  await page.getByText(`${total} Events`).waitFor({ state: 'detached' })
  expect(await page.getByRole('main').getByText('Mia').count()).toBe(0)
  expect(calls.at(-1)).toEqual({ path: pathOf(flour), query: { limit: '200', username: 'bob' } })
})

test('[INST-07] Every page of an instance is there, and the devices are its remote instances', async () => {
  const page = await openPage()
  for (const [path, title, text] of [
    ['overview', 'Overview', 'Instance Type'],
    ['audit-log', 'Audit Log', 'Instance created'],
    ['logs', 'Node-RED Logs', ''],
    ['devices', 'Remote Instances', 'Remote Instances'],
    ['snapshots', 'Snapshots', 'Create your First Snapshot'],
    ['settings', 'Settings', 'Instance Details'],
  ] as const) {
    await page.goto(here(path))
    await page.waitForURL(`**${here(path === 'settings' ? 'settings/general' : path)}`)
    await expect.poll(() => page.title()).toBe(`${title} - ${instance.name} - FlowForge`)
    await sees(page.getByRole('main').getByText(text).first())
  }
})

test('[INST-21] The overview has the four newest entries, and the way to the rest', async () => {
  for (let at = 1; at <= 6; at += 1) {
    const body = { name: `Note ${at}`, flows: [], credentials: {}, credentialSecret: '' }
    await owner.client.call('snapshot.create', { params: { instanceId: instance.id }, body })
  }
  const page = await openPage()
  await page.goto(here('overview'))
  const recent = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Recent Activity' }) })
  const notes = async () =>
    (await recent.getByRole('listitem').allInnerTexts()).map((text) => /Note \d/.exec(text)?.[0])
  await expect.poll(notes).toEqual(['Note 6', 'Note 5', 'Note 4', 'Note 3'])
  await recent.getByRole('link', { name: 'More...' }).click()
  await page.waitForURL(`**${here('audit-log')}`)
  for (let at = 1; at <= 6; at += 1) await sees(page.getByText(`Note ${at}`).first())
})

test('[AUDIT-03] [AUDIT-06] [AUDIT-10] [AUDIT-11] [AUDIT-22] A log says while it loads, when it is empty, what failed and what an entry lacks', async () => {
  const page = await openPage()
  const entry = (id: number, event: string, body: object) => ({
    id: String(id),
    createdAt: new Date(1_790_000_000_000 - id).toISOString(),
    event,
    username: 'bob',
    scope: { id: team.id, type: 'team' },
    trigger: { id: null, type: 'system', name: 'Forge Platform' },
    body,
  })
  const failure = { code: 'start_failed', message: 'No room for another Node-RED' }
  const firstPage = [entry(1, 'project.start-failed', { error: failure }), entry(2, 'team.user.invited', {})]
  await page.route(`**/api/v1/teams/${team.id}/audit-log?*`, (route) =>
    route.fulfill({ json: { meta: {}, count: firstPage.length, log: firstPage } }),
  )
  await page.goto('/team/example-bakery/audit-log')
  await sees(page.getByText('User data not found in audit entry.').first())
  await sees(page.getByText('Error: No room for another Node-RED'))
  const details = page.getByText('"start_failed"')
  expect(await details.isVisible()).toBe(false)
  await page.getByText('Show Error').click()
  await sees(details)
  await page.goto(`/application/${instance.application.id}/activity`)
  await sees(page.getByText('Instance created').first(), page.getByText('Application Instance:'))
  await page.getByLabel('User:').click()
  await page.getByRole('option', { name: 'Mia Example (mia)' }).click()
  await sees(page.getByText('No Activity Found'))
  await page.goto(here('audit-log?user=bob'))
  await sees(page.getByText('Instance created').first())
  await page.route(`**/api/v1/projects/${instance.id}/audit-log?*`, () => undefined)
  await page.getByLabel('User:').click()
  await page.getByRole('option', { name: 'Mia Example (mia)' }).click()
  await sees(page.getByText('Loading Activity...'))
  await page.goto(`/application/${instance.application.id}/logs`)
  await sees(
    page.getByRole('link', { name: /open oven-line/ }),
    page.getByRole('combobox', { name: 'Application Instance:' }),
  )
})

test('[PAL-03] Below the settings of a palette stand its modules, with name, version, and the mark of those added in place', async () => {
  const palette = {
    allowInstall: true,
    modules: [
      { name: 'node-red-node-random', version: '~0.4.0', local: false },
      { name: '@example/oven', version: '1.2.3', local: true },
    ],
  }
  const { id } = await startInstance(owner.client, 'palette-line', instance.application.id)
  await owner.client.call('instance.update', { params: { instanceId: id }, body: { settings: { palette } } })
  const alice = await platform().people.signIn(admin.username, admin.password)
  const template = await alice.client.call('template.create', { body: { name: 'With modules', settings: { palette } } })
  for (const [person, path] of [
    [owner, `/instance/${id}/settings/palette`],
    [alice, `/admin/templates/${template.id}/palette`],
  ] as const) {
    const page = await openPage(person)
    await page.goto(path)
    const editor = page.locator('section').filter({ has: page.getByRole('heading', { name: /^Installed Modules/ }) })
    const rows = editor.last().getByRole('listitem')
    await sees(rows.nth(1))
    for (const [at, { name, version, local }] of palette.modules.entries()) {
      const fields = rows.nth(at).getByRole('textbox')
      expect([await fields.first().inputValue(), await fields.last().inputValue()]).toEqual([name, version])
      expect([name, await rows.nth(at).getByText('installed in the editor').count()]).toEqual([name, Number(local)])
    }
    const above = (await field(page, 'Denied nodes').boundingBox())!
    expect((await rows.first().boundingBox())!.y).toBeGreaterThan(above.y + above.height)
  }
})

test('[API-119] The devices of a team and of an instance are asked for at an address each', async () => {
  const page = await openPage()
  const make = (name: string) => owner.client.call('device.create', { body: { name, team: team.id } })
  const { id: deviceId } = await make('Oven 3')
  await make('Mixer 1')
  await owner.client.call('device.update', { params: { deviceId }, body: { instance: instance.id } })
  for (const [path, address, names] of [
    [`/team/${team.slug}/devices`, `/api/v1/teams/${team.id}/devices`, ['Oven 3', 'Mixer 1']],
    [here('devices'), `/api/v1/projects/${instance.id}/devices`, ['Oven 3']],
  ] as const) {
    const [reply] = await Promise.all([
      page.waitForResponse((one) => new URL(one.url()).pathname === address),
      page.goto(path),
    ])
    expect(((await reply.json()) as { devices: { name: string }[] }).devices.map(({ name }) => name)).toEqual(names)
    await sees(page.getByRole('row').filter({ hasText: 'Oven 3' }))
    expect(await page.getByRole('row').count()).toBe(names.length + 1)
  }
})

test('Selected instances are suspended, started and restarted together, and those that refuse are named', async () => {
  const { id: applicationId } = await owner.client.call('application.create', {
    body: { name: 'Together', teamId: team.id },
  })
  const names = ['dough-1', 'dough-2']
  const both: Instance[] = []
  for (const name of names) both.push(await createInstance(owner.client, { name, applicationId }))
  const allAre = async (state: string) => Promise.all(both.map(({ id }) => untilState(owner.client, id, state)))
  await allAre('running')
  const { page, expectProblem } = await visitors.open(platform(), owner)
  const bar = page.getByRole('region', { name: 'Selected instances' })
  const act = (name: string) => bar.getByRole('button', { name, exact: true })
  const question = page.getByRole('alertdialog')

  await page.goto(`/team/${team.slug}/instances`)
  for (const name of names) await page.getByRole('checkbox', { name: `Select ${name}` }).click()
  await sees(bar.getByText('2 selected'))
  await shot(page, 'instances-selected')
  expect(await act('Start').isDisabled()).toBe(true)
  await act('Suspend').click()
  await sees(question.getByRole('heading', { name: 'Suspend 2 instances?' }), question.getByText(names.join(' and ')))
  await question.getByRole('button', { name: 'Suspend' }).click()
  await sees(screens.toast(page, 'Suspending 2 instances.'))
  await bar.waitFor({ state: 'detached' })
  await allAre('suspended')

  await page.goto(`/application/${applicationId}/instances`)
  await page.getByLabel('Search Instances...').fill('dough-1')
  await page.getByRole('checkbox', { name: 'Select all shown' }).click()
  await sees(bar.getByText('1 selected'))
  await page.getByLabel('Search Instances...').fill('')
  await page.getByRole('checkbox', { name: 'Select all shown' }).click()
  await sees(bar.getByText('2 selected'), screens.status(page, 'suspended').first())
  expect([await act('Restart').isDisabled(), await act('Suspend').isDisabled()]).toEqual([true, true])
  await act('Start').click()
  await sees(screens.toast(page, 'Starting 2 instances.'))
  await allAre('running')

  expectProblem(/409/)
  const reason = { code: 'invalid_state', statusCode: 409, error: 'Busy', message: 'Busy' }
  await page.route(`**/api/v1/projects/${both[1]!.id}/actions/restart`, (route) =>
    route.fulfill({ status: 409, json: reason }),
  )
  await page.getByRole('checkbox', { name: 'Select all shown' }).click()
  await act('Restart').click()
  await question.getByRole('button', { name: 'Restart' }).click()
  await sees(
    screens.toast(page, 'Restarting 1 instance.'),
    screens.toast(page, '1 instance could not be restarted.').filter({ hasText: 'dough-2: Busy' }),
  )

  const mia = await openPage(await platform().people.signIn('mia', admin.password))
  await mia.goto(`/application/${applicationId}/instances`)
  await sees(mia.getByRole('table').getByText('dough-1'))
  expect(await mia.getByRole('checkbox').count()).toBe(0)
})
