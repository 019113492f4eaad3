import { readFile } from 'node:fs/promises'
import { beforeEach, expect, test } from 'vitest'
import {
  adjustSettings,
  answer,
  button,
  createInstance,
  field,
  openConsole,
  screens,
  sees,
  shot,
  useDevices,
  type Visitor,
  watchText,
} from './harness/index.ts'

const { platform, visitors } = await openConsole()
const { bakery, tokens, find, add, addAssigned, report } = useDevices(platform)
let visitor: Visitor
beforeEach(async () => {
  visitor = await visitors.open(platform(), bakery.owner)
})

const row = (name: string, { page } = visitor) => page.getByRole('row').filter({ hasText: name })
/** Not by its role: the rest of the page is hidden while a dialog is open. */
const toast = (text: string) => sees(visitor.page.getByText(text).first())
const devices = () => `/team/${bakery.team.slug}/devices`
const dialog = (name: string) => visitor.page.getByRole('dialog', { name })
const choose = (name: string, item: string) =>
  screens.menu.choose(visitor.page, new RegExp(`^Actions for ${name}$`), item)

/** The dialog that adds a device, open over an empty list. */
async function openAdd() {
  const { page } = visitor
  await page.goto(devices())
  await button(page, 'Add Device').click()
  return { page, submit: dialog('Add Device').getByRole('button', { name: 'Add', exact: true }) }
}

test('[DEV-11] [DEV-12] Without devices the page of the team offers to add the first', async () => {
  const { page } = visitor
  await page.goto(`/team/${bakery.team.slug}/applications`)
  await page.getByRole('link', { name: 'Devices', exact: true }).click()
  await page.waitForURL(`**${devices()}`)
  await sees(page.getByText('Connect your First Device'), button(page, 'Add Device'))
  await expect.poll(() => page.title()).toBe('Devices - Example Bakery - FlowForge')
  await shot(page, 'devices-none')
})

test('[DEV-16] [DEV-17] [CONST-05] A device is added with a name and any type; what the platform refuses is told where it belongs', async () => {
  const { page, submit } = await openAdd()
  expect(await submit.isDisabled()).toBe(true)
  await field(page, 'Name').fill('Oven 3')
  await field(page, 'Type').fill('Raspberry Pi 4, with “hat”')
  visitor.expectProblem(/400/)
  await answer(page, 'POST /api/v1/devices', 400, { code: 'invalid_name', error: 'This name will not do' })
  await submit.click()
  await sees(dialog('Add Device').getByText('This name will not do'))
  await page.unrouteAll()
  await answer(page, 'POST /api/v1/devices', 400, { code: 'unexpected', error: 'No room' })
  const lifeOf = await watchText(page, 'Failed to create device: No room')
  await submit.click()
  await toast('Failed to create device: No room')
  await shot(page, 'devices-add')
  const life = await lifeOf()
  expect(life).toBeGreaterThan(7_400)
  expect(life).toBeLessThan(12_000)
  await page.unrouteAll()
  await submit.click()
  await toast('Device successfully created.')
  expect((await find('Oven 3')).type).toBe('Raspberry Pi 4, with “hat”')
})

test('[DEV-20] [DEV-50] [DEV-52] The credentials of a new device are shown once, half a second after it was made, as a file', async () => {
  const { page, submit } = await openAdd()
  await field(page, 'Name').fill('Oven 3')
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
  const { id } = await find('Oven 3')
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

test('[DEV-09] [DEV-18] [DEV-21] A device gets another name and type', async () => {
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
})

test('[DEV-22] [DEV-43] [INST-46] [INST-47] A device is added to an instance of the application that was chosen', async () => {
  const { page } = visitor
  await add('Oven 4')
  await page.goto(devices())
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

test('A device whose flows would end with nothing in their place is added to an instance only after a yes', async () => {
  const { page } = visitor
  const { client } = bakery.owner
  const mixing = (await client.call('application.listOfTeam', { params: { teamId: bakery.team.id } })).applications
  const { id: applicationId } = mixing.find(({ name }) => name === 'Mixing')!
  const other = await createInstance(client, { name: 'mixing-line', applicationId })
  const { id: deviceId } = await add('Oven 5')
  await client.call('device.update', { params: { deviceId }, body: { instance: other.id } })
  // A tab alone: it has no node that could run.
  const snapshot = bakery.snapshots['Runs well']!.id
  await client.call('device.setTarget', {
    params: { instanceId: bakery.instance.id },
    body: { targetSnapshot: snapshot },
  })
  await report('Oven 5', { project: other.id, snapshot })

  await page.goto(devices())
  await page.getByRole('checkbox', { name: 'Select Oven 5' }).click()
  await page.getByRole('region', { name: 'Selected devices' }).getByRole('button', { name: 'Add to Instance' }).click()
  await field(page, 'Application').click()
  await page.getByRole('option', { name: 'Oven line' }).click()
  await expect.poll(() => field(page, 'Instance').innerText()).toBe('oven-line')
  const send = dialog('Add to Instance').getByRole('button', { name: 'Add', exact: true })
  visitor.expectProblem(/409/)
  await send.click()
  await sees(page.getByText('This instance has no target snapshot with enabled nodes.'))
  await shot(page, 'devices-assign-empty')
  await button(page, 'Cancel').last().click()
  await sees(send)
  await send.click()
  await button(page, 'Assign Anyway').click()
  await toast('1 device added to the instance.')
  expect((await find('Oven 5')).instance?.id).toBe(bakery.instance.id)
  await client.call('device.setTarget', { params: { instanceId: bakery.instance.id }, body: { targetSnapshot: null } })
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

test('[DEV-59] A list of devices is read again every 10 seconds', async () => {
  const { page } = visitor
  const path = `/api/v1/teams/${bakery.team.id}/devices`
  let calls = 0
  page.on('request', (request) => (calls += Number(new URL(request.url()).pathname === path)))
  await page.clock.install()
  await page.goto(devices(), { waitUntil: 'networkidle' })
  const begun = calls
  await page.clock.runFor(9_000)
  expect(calls).toBe(begun)
  for (const times of [1, 2]) {
    await page.clock.runFor(times === 1 ? 1_500 : 10_000)
    await expect.poll(() => calls).toBe(begun + times)
  }
})

test('Without devices the console shows none', async () => {
  const { page } = visitor
  await adjustSettings(page, { features: { devices: false } })
  await page.goto(devices())
  await sees(page.getByText('Devices are not available'), page.getByRole('link', { name: 'Instances' }))
  expect(await page.getByRole('link', { name: 'Devices' }).count()).toBe(0)
  await page.goto(`/instance/${bakery.instance.id}/overview`)
  const tabs = page.getByRole('navigation', { name: 'Instance' }).getByRole('link')
  await sees(tabs.filter({ hasText: 'Snapshots' }))
  expect(await tabs.filter({ hasText: 'Devices' }).count()).toBe(0)
})
