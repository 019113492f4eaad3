import { type Device, type DeviceCredentials, type Instance, roles, type Snapshot, type Team } from '@app/contract'
import { readFile } from 'node:fs/promises'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import {
  adjustSettings,
  admin,
  answer,
  button,
  createInstance,
  createOwnerOf,
  field,
  type Person,
  screens,
  sees,
  shot,
  usePlatform,
  useVisitors,
  type Visitor,
} from './harness/index.ts'

const platform = usePlatform({ claimed: true })
const visitors = useVisitors()
let owner: Person
let visitor: Visitor
let team: Team
let instance: Instance
const snapshots: Record<string, Snapshot> = {}
const tokens: Record<string, string> = {}

beforeAll(async () => {
  ;({ owner, team, instance } = await createOwnerOf('oven-line', platform()))
  await owner.client.call('application.create', { body: { name: 'Mixing', teamId: team.id } })
  for (const name of ['Runs well', 'Runs better']) {
    const body = { name, flows: [{ id: 'a', type: 'tab', label: 'Heat' }], credentials: {}, credentialSecret: '' }
    snapshots[name] = await owner.client.call('snapshot.create', { params: { instanceId: instance.id }, body })
  }
})
/** Each test begins without a device. */
beforeEach(async () => {
  for (const { id } of await all()) await owner.client.call('device.delete', { params: { deviceId: id } })
  visitor = await visitors.open(platform(), owner)
})

const all = async () =>
  (await owner.client.call('device.listOfTeam', { params: { teamId: team.id }, query: { limit: 100 } })).devices
const devices = () => `/team/${team.slug}/devices`
const row = (name: string, { page } = visitor) => page.getByRole('row').filter({ hasText: name })
const dialog = (name: string) => visitor.page.getByRole('dialog', { name })
const choose = (name: string, item: string) =>
  screens.menu.choose(visitor.page, new RegExp(`^Actions for ${name}$`), item)
/** Not by its role: the rest of the page is hidden while a dialog is open. */
const toast = (text: string) => sees(visitor.page.getByText(text).first())
const find = async (name: string) => (await all()).find((one) => one.name === name)!
/** Adds a device past the screens. */
async function add(name: string, type = ''): Promise<Device & { credentials: DeviceCredentials }> {
  const made = await owner.client.call('device.create', { body: { name, type, team: team.id } })
  tokens[name] = made.credentials.token
  return made
}
/** The same, in the instance. */
async function addAssigned(name: string): Promise<string> {
  const { id } = await add(name)
  await owner.client.call('device.update', { params: { deviceId: id }, body: { instance: instance.id } })
  return id
}

/** Says what an agent says of its device; the status of the answer. */
async function report(name: string, body: object): Promise<number> {
  const { id } = await find(name)
  const reply = await fetch(`http://127.0.0.1:${platform().port}/api/v1/devices/${id}/live/state`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tokens[name]}`, 'content-type': 'application/json' },
    body: JSON.stringify({ state: 'running', agentVersion: '1.9.4', ...body }),
  })
  return reply.status
}

test('[DEV-11] [DEV-12] [DEV-16] [DEV-17] [DEV-20] [DEV-50] [DEV-52] A device is added, and its credentials are shown once, as a file', async () => {
  const { page } = visitor
  await page.goto(`/team/${team.slug}/applications`)
  await page.getByRole('link', { name: 'Devices', exact: true }).click()
  await page.waitForURL(`**${devices()}`)
  await sees(page.getByText('Connect your First Device'))
  await expect.poll(() => page.title()).toBe('Devices - Example Bakery - FlowForge')
  await shot(page, 'devices-none')

  await button(page, 'Add Device').click()
  const submit = dialog('Add Device').getByRole('button', { name: 'Add', exact: true })
  expect(await submit.isDisabled()).toBe(true)
  await field(page, 'Name').fill('Oven 3')
  await field(page, 'Type').fill('Raspberry Pi 4, with “hat”')
  visitor.expectProblem(/400/)
  await answer(page, 'POST /api/v1/devices', 400, { code: 'invalid_name', error: 'This name will not do' })
  await submit.click()
  await sees(dialog('Add Device').getByText('This name will not do'))
  await page.unrouteAll()
  await answer(page, 'POST /api/v1/devices', 400, { code: 'unexpected', error: 'No room' })
  await submit.click()
  await toast('Failed to create device: No room')
  await page.unrouteAll()
  await shot(page, 'devices-add')
  // When each first shows, by the clock of the page.
  await page.evaluate(`{
    globalThis.shownAt = {}
    new MutationObserver(() => {
      for (const text of ['Device successfully created.', 'Device Credentials'])
        if (document.body.innerText.includes(text)) shownAt[text] ??= performance.now()
    }).observe(document.body, { subtree: true, childList: true })
  }`)
  await submit.click()
  await toast('Device successfully created.')

  const shown = dialog('Device Credentials')
  await sees(shown)
  const shownAt = (text: string) => page.evaluate<number>(`shownAt[${JSON.stringify(text)}]`)
  const delay = (await shownAt('Device Credentials')) - (await shownAt('Device successfully created.'))
  // The word comes a moment after the answer from which the half second counts.
  expect(delay).toBeGreaterThan(400)
  expect(delay).toBeLessThan(2_500)
  const { id, type } = await find('Oven 3')
  expect(type).toBe('Raspberry Pi 4, with “hat”')
  await shot(page, 'devices-credentials')
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    shown.getByRole('button', { name: /^Download/ }).click(),
  ])
  expect(file.suggestedFilename()).toBe(`device-${id}.yml`)
  const lines = (await readFile(await file.path(), 'utf8')).trimEnd().split('\n')
  const values = Object.fromEntries(lines.map((line) => line.split(': ')))
  expect(values).toEqual({
    deviceId: id,
    token: expect.stringMatching(/^ffd_/),
    credentialSecret: expect.any(String),
    forgeURL: platform().url,
    brokerURL: `${platform().url.replace(/^http/, 'ws')}/mqtt`,
    brokerUsername: expect.stringContaining(id),
    brokerPassword: expect.any(String),
  })
  await shown.getByRole('button', { name: 'Done' }).click()
  expect(await page.getByText(values.token).count()).toBe(0)
})

test('[DEV-01] [DEV-41] What its agent says shows at once', async () => {
  await add('Oven 3')
  await visitor.page.goto(devices())
  await sees(row('Oven 3').getByText('never').nth(0), row('Oven 3').getByText('never').nth(1))
  expect(await report('Oven 3', {})).toBe(200)
  await sees(row('Oven 3').getByText('running'), row('Oven 3').getByText(/just now| ago$/))
})

test('[INST-46] [INST-47] [DEV-09] [DEV-18] [DEV-21] [DEV-22] [DEV-43] It gets another name, and is added to an instance', async () => {
  const { page } = visitor
  await add('Oven 3')
  await page.goto(devices())
  await choose('Oven 3', 'Edit Details')
  await field(page, 'Name').fill('Oven 4')
  visitor.expectProblem(/400/)
  await page.route('**/api/v1/devices/*', (route) =>
    route.request().method() === 'PUT'
      ? route.fulfill({ status: 400, json: { code: 'invalid_name', error: 'This name will not do' } })
      : route.fallback(),
  )
  await button(page, 'Save').click()
  await sees(dialog('Edit Details').getByText('This name will not do'))
  await page.unrouteAll()
  await field(page, 'Type').fill('Pi')
  await button(page, 'Save').click()
  await toast('Device successfully updated.')
  await sees(row('Oven 4').getByText('Pi', { exact: true }))

  await choose('Oven 4', 'Add to Instance')
  const submit = dialog('Add to Instance').getByRole('button', { name: 'Add', exact: true })
  expect(await field(page, 'Instance').isDisabled()).toBe(true)
  await field(page, 'Application').click()
  await page.getByRole('option', { name: 'Mixing' }).click()
  await sees(page.getByText('This application has no instances.'))
  expect(await submit.isDisabled()).toBe(true)
  await field(page, 'Application').click()
  await page.getByRole('option', { name: 'Oven line' }).click()
  await expect.poll(() => field(page, 'Instance').innerText()).toBe('oven-line')
  await shot(page, 'devices-assign')
  await submit.click()
  await toast('Device successfully assigned to instance.')
  await sees(
    row('Oven 4').getByRole('link', { name: 'oven-line' }),
    row('Oven 4').getByRole('link', { name: 'Oven line' }),
  )
})

test('[DEV-03] [DEV-07] [DEV-08] [DEV-10] [DEV-11] The devices of the team are listed a page at a time, and searched', async () => {
  const { page } = visitor
  await addAssigned('Oven 4')
  for (let at = 1; at <= 31; at += 1) await add(`Mixer ${at}`, at === 31 ? 'Last of all' : '')
  await page.goto(devices())
  const more = page.getByRole('button', { name: 'Load more...' })
  await sees(more)
  expect(await page.getByRole('columnheader').allInnerTexts()).toEqual([
    'Select',
    'Device',
    'Type',
    'Last Seen',
    'Last Known Status',
    'Application',
    'Instance',
    'Actions',
  ])
  await shot(page, 'devices')
  const firstOf = async () => page.getByRole('row').nth(1).innerText()
  expect(await firstOf()).toContain('Oven 4')
  for (const [header, sortable] of [
    ['Device', true],
    ['Type', true],
    ['Last Seen', true],
    ['Last Known Status', false],
    ['Application', true],
    ['Instance', true],
  ] as const) {
    const sort = page.getByRole('columnheader', { name: header, exact: true }).getByRole('button')
    expect([header, await sort.count()]).toEqual([header, Number(sortable)])
  }
  const byName = page.getByRole('columnheader', { name: 'Device', exact: true }).getByRole('button')
  await byName.click()
  expect(await firstOf()).toContain('Mixer 1')
  await byName.click()
  expect(await firstOf()).toContain('Oven')
  const items = async (name: string) => {
    await page.getByRole('button', { name: `Actions for ${name}`, exact: true }).click()
    const texts = await page.getByRole('menuitem').allInnerTexts()
    await page.keyboard.press('Escape')
    return texts
  }
  const [edit, renew, end] = ['Edit Details', 'Regenerate Credentials', 'Delete Device']
  expect(await items('Mixer 1')).toEqual([edit, 'Add to Instance', renew, end])
  expect(await items('Oven 4')).toEqual([edit, 'Remove from Application Instance', renew, end])
  await page.reload()
  await more.click()
  await sees(row('Mixer 31'))
  expect(await more.count()).toBe(0)
  await page.getByPlaceholder('Search Devices').fill('last OF')
  await expect.poll(() => page.getByRole('row').count()).toBe(2)
  await sees(row('Mixer 31'))
  await page.getByPlaceholder('Search Devices').fill('nowhere')
  await sees(page.getByText('No devices found.'))
  await page.getByPlaceholder('Search Devices').fill('')
  await sees(row('Mixer 30'))
})

test('[INST-08] [DEV-04] [DEV-10] [DEV-11] [DEV-25] [DEV-46] [DEV-47] The devices of an instance run its target, and say so while they do not', async () => {
  const { page } = visitor
  const { id: applicationId } = await owner.client.call('application.create', {
    body: { name: 'Proving', teamId: team.id },
  })
  const bare = await createInstance(owner.client, { name: 'bare-line', applicationId })
  await page.goto(`/instance/${bare.id}/devices`)
  await sees(page.getByText('Connect your First Device'))
  for (const name of ['Oven 4', 'Mixer 1']) await addAssigned(name)
  // Two that are not listed: one belongs to another instance, one to none.
  const [{ id: deviceId }] = [await add('Press 1'), await add('Press 2')]
  await owner.client.call('device.update', { params: { deviceId }, body: { instance: bare.id } })
  await page.goto(`/instance/${instance.id}/overview`)
  const tabs = page.getByRole('navigation', { name: 'Instance' }).getByRole('link')
  await tabs.filter({ hasText: 'Devices' }).click()
  const named = ['Overview', 'Devices', 'Snapshots', 'Audit Log', 'Node-RED Logs', 'Settings']
  expect((await tabs.allInnerTexts()).filter((text) => named.includes(text))).toEqual(named)
  await sees(row('Mixer 1'), row('Oven 4'))
  expect(await page.getByRole('row').count()).toBe(3)
  expect(await page.getByRole('columnheader').allInnerTexts()).toEqual([
    'Select',
    'Device',
    'Type',
    'Last Seen',
    'Last Known Status',
    'Deployed Snapshot',
    'Actions',
  ])

  await button(page, 'Target Snapshot').click()
  const set = button(page, 'Set Target')
  expect(await set.isDisabled()).toBe(true)
  await field(page, 'Snapshot').click()
  await page.getByRole('option', { name: 'Runs well' }).click()
  const dialog = page.getByRole('dialog', { name: 'Target Snapshot' })
  await sees(dialog.getByText(/Replaces the flows, credentials and modules on every device assigned to/))
  const direction = dialog.getByRole('group', { name: 'Direction' })
  await expect.poll(() => direction.innerText()).toMatch(/From\s+Runs well\s+Snapshot of[^]*To\s+2 devices/)
  await sees(dialog.getByText(/The agents of .* do not say what Node\.js is there/))
  await shot(page, 'devices-target-foreseen')
  const held = Promise.withResolvers<void>()
  await page.route('**/devices/settings', async (route) => {
    await held.promise
    await route.fallback()
  })
  await set.click()
  await expect.poll(() => set.isDisabled()).toBe(true)
  held.resolve()
  await toast('Target snapshot updated.')
  const late = row('Oven 4').getByRole('button', { name: 'Target snapshot has not yet been deployed to this device.' })
  await late.hover()
  await sees(page.getByRole('tooltip'))
  await shot(page, 'instance-devices')
  expect(await report('Oven 4', { project: instance.id, snapshot: snapshots['Runs well']!.id })).toBe(200)
  await late.waitFor({ state: 'detached' })
  await sees(row('Oven 4').getByText('Runs well'))

  await button(page, 'Target Snapshot').click()
  await expect.poll(() => field(page, 'Snapshot').innerText()).toBe('Runs well')
  expect(await set.isDisabled()).toBe(true)
  await field(page, 'Snapshot').click()
  await sees(page.getByRole('option', { name: 'Runs well (active)' }))
  await shot(page, 'devices-target')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')

  // A device added here belongs to the instance at once.
  await button(page, 'Add Device').click()
  await field(page, 'Name').fill('Oven 9')
  await button(page, 'Add').click()
  await button(page, 'Done').click()
  await sees(row('Oven 9'))
  expect((await find('Oven 9')).instance?.id).toBe(instance.id)
})

test('[DEV-45] [SNAP-01] [SNAP-06] A snapshot is set as their target, and counts the devices that run it', async () => {
  const { page } = visitor
  for (const name of ['Oven 4', 'Mixer 1']) await addAssigned(name)
  await page.goto(`/instance/${instance.id}/snapshots`)
  await screens.menu.choose(page, 'Actions on Runs better', 'Set as Device Target')
  const dialog = page.getByRole('dialog', { name: 'Target Snapshot' })
  await expect.poll(() => field(page, 'Snapshot').innerText()).toContain('Runs better')
  await sees(dialog.getByText('Replaces the flows, credentials and modules on every device assigned to'))
  await shot(page, 'snapshots-target')
  await button(page, 'Set Target').click()
  await toast('Target snapshot updated.')
  const body = { project: instance.id, snapshot: snapshots['Runs better']!.id }
  for (const name of ['Oven 4', 'Mixer 1']) expect(await report(name, body)).toBe(200)
  await sees(row('Runs better').getByText('2 devices'))
  expect((await page.getByRole('columnheader').allInnerTexts()).slice(0, 3)).toEqual([
    'Snapshot',
    'Created By',
    'Date Created',
  ])
  expect(await row('Runs better').innerText()).toContain('Bob Example')
})

test('[DEV-26] [DEV-28] [DEV-29] [DEV-36] [DSET-01] [DSET-03] [SHELL-40] The pages of a device say what it is and where it belongs', async () => {
  const { page } = visitor
  const id = await addAssigned('Oven 4')
  // Told that it should run something else, or not: it is known to be there either way.
  expect([200, 409]).toContain(await report('Oven 4', { project: instance.id }))
  await page.goto(`/device/${id}`)
  await page.waitForURL(`**/device/${id}/overview`)
  const main = page.getByRole('main')
  await sees(screens.heading(page, 'Oven 4'), main.getByText('1.9.4'))
  const heading = screens.heading(page, 'Oven 4').locator('..')
  await sees(heading.getByText(/just now| ago$/), heading.getByText('running', { exact: true }))
  const deployment = page.locator('section', { has: page.getByRole('heading', { name: 'Deployment' }) })
  await expect.poll(() => page.title()).toBe('Overview - Oven 4 - FlowForge')
  await shot(page, 'device')
  for (const [part, name, path] of [
    [heading, 'oven-line', `/instance/${instance.id}/overview`],
    [deployment, 'oven-line', `/instance/${instance.id}/overview`],
    [deployment, 'Oven line', `/application/${instance.application.id}/instances`],
  ] as const) {
    await part.getByRole('link', { name, exact: true }).click()
    await page.waitForURL(`**${path}`)
    await page.goBack()
  }
  await page.goto(`/device/${id}/settings`)
  await page.waitForURL(`**/device/${id}/settings/general`)
  await sees(main.getByText(id))
  await shot(page, 'device-settings')
  const tabs = page.getByRole('navigation', { name: 'Device settings' }).getByRole('link')
  expect(await tabs.allInnerTexts()).toEqual(['General', 'Environment', 'Danger'])
})

test('[DSET-02] [DSET-03] [DSET-06] [DEV-09] [DEV-12] [DEV-13] [DEV-15] [SNAP-06] A member edits its variables and chooses the target; a viewer changes nothing', async () => {
  const { people } = platform()
  const id = await addAssigned('Oven 4')
  for (const [name, role] of [
    ['mia', roles.member],
    ['vera', roles.viewer],
  ] as const) {
    people.add(name, { teamId: team.id, role })
    const one = await visitors.open(platform(), await people.signIn(name, admin.password))
    const { page } = one
    const isMember = role === roles.member
    await page.goto(devices())
    await sees(row('Oven 4', one))
    expect(await page.getByRole('button', { name: /^(Actions for .*|Add Device)$/ }).count()).toBe(0)
    await page.goto(`/instance/${instance.id}/devices`)
    await sees(row('Oven 4', one))
    expect(await button(page, 'Target Snapshot').count()).toBe(Number(isMember))
    await page.goto(`/instance/${instance.id}/snapshots`)
    await page.getByRole('button', { name: 'Actions on Runs well' }).click()
    await sees(page.getByRole('menuitem', { name: 'View and compare' }))
    expect(await page.getByRole('menuitem', { name: 'Set as Device Target' }).count()).toBe(Number(isMember))
    await page.goto(`/device/${id}/settings/danger`)
    await page.waitForURL(`**/device/${id}/settings/general`)
    const tabs = page.getByRole('navigation', { name: 'Device settings' }).getByRole('link')
    expect(await tabs.allInnerTexts()).toEqual(['General', 'Environment'])
    expect(await page.getByRole('button', { name: /^(Edit Details|Actions)$/ }).count()).toBe(0)
    await tabs.nth(1).click()
    await sees(page.getByText('FF_DEVICE_NAME'))
    expect(await field(page, 'New name').count()).toBe(Number(isMember))
    if (isMember) {
      await field(page, 'New name').fill('SITE')
      await field(page, 'New value').fill('bakery')
      await button(page, 'Add').click()
      await button(page, 'Save settings').click()
      await sees(screens.toast(page, 'Device settings successfully updated.'))
      await shot(page, 'device-environment')
    } else await sees(page.getByText('bakery', { exact: true }))
    const fields = await page.getByRole('main').getByRole('textbox').count()
    expect([fields > 0, await button(page, 'Save settings').count()]).toEqual([isMember, Number(isMember)])
  }
})

test('[DEV-30] [DSET-04] [PERM-74] A visiting administrator sees whose guest they are, and not the settings', async () => {
  const { page } = await visitors.open(platform(), await platform().people.signIn(admin.username, admin.password))
  const id = await addAssigned('Oven 4')
  await page.goto(`/device/${id}/settings/general`)
  await page.waitForURL(`**/device/${id}/overview`)
  await sees(page.getByText('You are viewing this device as an Administrator'))
  expect(await page.getByRole('link', { name: /Open Editor/ }).count()).toBe(0)
  const { page: member } = visitor
  await member.goto(`/device/${id}/overview`)
  await sees(screens.heading(member, 'Oven 4'))
  expect(await member.getByText('as an Administrator').count()).toBe(0)
})

test('[DEV-24] [DEV-48] [DEV-49] It gets new credentials, asked for first and shown once, and is removed from its instance', async () => {
  const { page } = visitor
  await addAssigned('Oven 4')
  await page.goto(devices())
  await choose('Oven 4', 'Regenerate Credentials')
  await shot(page, 'devices-regenerate')
  await dialog('Regenerate Credentials').getByRole('button', { name: 'Regenerate Credentials' }).click()
  const shown = dialog('Device Credentials').getByLabel('Device credentials')
  await sees(shown)
  expect(await shown.innerText()).not.toContain(tokens['Oven 4'])
  expect(await report('Oven 4', {})).toBe(401)
  await button(page, 'Done').click()
  await choose('Oven 4', 'Regenerate Credentials')
  await sees(dialog('Regenerate Credentials'))
  expect(await shown.count()).toBe(0)
  await button(page, 'Cancel').click()

  await choose('Oven 4', 'Remove from Application Instance')
  await button(page, 'Remove').click()
  await toast('Successfully removed the device from the instance.')
  await row('Oven 4').getByRole('link', { name: 'oven-line' }).waitFor({ state: 'detached' })
  expect((await find('Oven 4')).instance).toBeUndefined()
})

test('[DEV-19] [DEV-23] [DEV-29] [DEV-39] [DEV-40] It is deleted by its name, and the devices of the team show', async () => {
  const { page } = visitor
  const { id } = await add('Oven 4')
  await add('Mixer 30')
  await page.goto(devices())
  await row('Oven 4').getByRole('link', { name: 'Oven 4' }).click()
  await sees(page.getByText('Device Not Assigned to an Instance'))
  await page.goto(`/device/${id}/settings/danger`)
  await button(page, 'Delete Device').click()
  const ask = page.getByRole('alertdialog')
  const sure = ask.getByRole('button', { name: 'Delete', exact: true })
  await ask.getByRole('textbox').fill('oven 4')
  expect(await sure.isDisabled()).toBe(true)
  await ask.getByRole('textbox').fill('Oven 4')
  visitor.expectProblem(/400/)
  await answer(page, `DELETE /api/v1/devices/${id}`, 400, { code: 'unexpected', error: 'Not now' })
  await sure.click()
  await toast('Failed to delete device: Not now')
  await page.unrouteAll()
  await button(page, 'Delete Device').click()
  await ask.getByRole('textbox').fill('Oven 4')
  await sure.click()
  await page.waitForURL(`**${devices()}`)
  await toast('Successfully deleted the device')
  await sees(row('Mixer 30'))
  expect(await row('Oven 4').count()).toBe(0)
})

test('Without devices the console shows none', async () => {
  const { page } = visitor
  await adjustSettings(page, { features: { devices: false } })
  await page.goto(devices())
  await sees(page.getByText('Devices are not available'), page.getByRole('link', { name: 'Instances' }))
  expect(await page.getByRole('link', { name: 'Devices' }).count()).toBe(0)
  await page.goto(`/instance/${instance.id}/overview`)
  const tabs = page.getByRole('navigation', { name: 'Instance' }).getByRole('link')
  await sees(tabs.filter({ hasText: 'Snapshots' }))
  expect(await tabs.filter({ hasText: 'Devices' }).count()).toBe(0)
})
