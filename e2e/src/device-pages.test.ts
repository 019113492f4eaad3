import { roles } from '@app/contract'
import { beforeEach, expect, test } from 'vitest'
import {
  admin,
  button,
  createInstance,
  field,
  openConsole,
  screens,
  sees,
  shot,
  useDevices,
  type Visitor,
} from './harness/index.ts'

const { platform, visitors } = await openConsole()
const { bakery, find, add, addAssigned, report } = useDevices(platform)
let visitor: Visitor
beforeEach(async () => {
  visitor = await visitors.open(platform(), bakery.owner)
})

const row = (name: string, { page } = visitor) => page.getByRole('row').filter({ hasText: name })
/** Not by its role: the rest of the page is hidden while a dialog is open. */
const toast = (text: string) => sees(visitor.page.getByText(text).first())
const devices = () => `/instance/${bakery.instance.id}/devices`

test('[INST-08] The pages of an instance have their tabs in this order', async () => {
  const { page } = visitor
  await page.goto(`/instance/${bakery.instance.id}/overview`)
  const tabs = page.getByRole('navigation', { name: 'Instance' }).getByRole('link')
  await tabs.filter({ hasText: 'Devices' }).click()
  const named = ['Overview', 'Devices', 'Snapshots', 'Audit Log', 'Node-RED Logs', 'Settings']
  expect((await tabs.allInnerTexts()).filter((text) => named.includes(text))).toEqual(named)
})

test('The side menu marks the list that the open instance or device belongs to', async () => {
  const { page } = visitor
  const { id } = await add('Oven 9')
  const current = page.getByRole('navigation', { name: 'Main' }).locator('a[aria-current]')
  for (const [path, list] of [
    [`/instance/${bakery.instance.id}/overview`, 'Instances'],
    [`/device/${id}/overview`, 'Devices'],
  ] as const) {
    await page.goto(path)
    await expect.poll(() => current.allInnerTexts()).toEqual([list])
  }
})

test('On a phone the tab of the page is in sight, and the row of tabs fades where it goes on', async () => {
  const { page } = visitor
  const row = page.getByRole('navigation', { name: 'Instance', exact: true })
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(`/instance/${bakery.instance.id}/overview`)
  await expect.poll(() => row.getAttribute('data-more')).toBe(' end')
  await page.goto(`/instance/${bakery.instance.id}/settings`)
  await expect.poll(() => row.getAttribute('data-more')).toContain('start')
  const tab = await row.getByRole('link', { name: 'Settings' }).boundingBox()
  expect([tab!.x >= 0, tab!.x + tab!.width <= 390]).toEqual([true, true])
})

test('[DEV-04] [DEV-10] [DEV-11] An instance lists its devices, and no others', async () => {
  const { page } = visitor
  const { id: applicationId } = await bakery.owner.client.call('application.create', {
    body: { name: 'Proving', teamId: bakery.team.id },
  })
  const bare = await createInstance(bakery.owner.client, { name: 'bare-line', applicationId })
  await page.goto(`/instance/${bare.id}/devices`)
  await sees(page.getByText('Connect your First Device'))
  for (const name of ['Oven 4', 'Mixer 1']) await addAssigned(name)
  // Two that are not listed: one belongs to another instance, one to none.
  const [{ id: deviceId }] = [await add('Press 1'), await add('Press 2')]
  await bakery.owner.client.call('device.update', { params: { deviceId }, body: { instance: bare.id } })
  await page.goto(`/instance/${bakery.instance.id}/devices`)
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
})

/** Two devices of the instance, with the dialog that chooses what they run. */
async function openTarget() {
  const { page } = visitor
  const params = { instanceId: bakery.instance.id }
  await bakery.owner.client.call('device.setTarget', { params, body: { targetSnapshot: null } })
  for (const name of ['Oven 4', 'Mixer 1']) await addAssigned(name)
  await page.goto(devices())
  await button(page, 'Target Snapshot').click()
  const dialog = page.getByRole('dialog', { name: 'Target Snapshot' })
  await sees(dialog)
  const choose = async (name: string) => {
    await field(page, 'Snapshot').click()
    await page.getByRole('option', { name }).click()
  }
  return { page, dialog, choose, set: button(page, 'Set Target') }
}

test('[DEV-25] [DEV-46] The target of the devices is another snapshot, chosen with a look at what it replaces', async () => {
  const { page, dialog, choose, set } = await openTarget()
  expect(await set.isDisabled()).toBe(true)
  await choose('Runs well')
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

  await button(page, 'Target Snapshot').click()
  await expect.poll(() => field(page, 'Snapshot').innerText()).toBe('Runs well')
  expect(await set.isDisabled()).toBe(true)
  await field(page, 'Snapshot').click()
  await sees(page.getByRole('option', { name: 'Runs well (active)' }))
  await shot(page, 'devices-target')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
})

test('[DEV-47] A device that does not run the target yet has a warning until it does', async () => {
  const { page, choose, set } = await openTarget()
  await choose('Runs well')
  await set.click()
  const late = row('Oven 4').getByRole('button', { name: 'Target snapshot has not yet been deployed to this device.' })
  await late.hover()
  await sees(page.getByRole('tooltip'))
  await shot(page, 'instance-devices')
  expect(await report('Oven 4', { project: bakery.instance.id, snapshot: bakery.snapshots['Runs well']!.id })).toBe(200)
  await late.waitFor({ state: 'detached' })
  await sees(row('Oven 4').getByText('Runs well'))
})

test('A device that is added on the page of an instance belongs to it at once', async () => {
  const { page } = visitor
  await addAssigned('Oven 4')
  await page.goto(devices())
  await button(page, 'Add Device').click()
  await field(page, 'Name').fill('Oven 9')
  await button(page, 'Add').click()
  await button(page, 'Done').click()
  await sees(row('Oven 9'))
  expect((await find('Oven 9')).instance?.id).toBe(bakery.instance.id)
})

test('[DEV-45] [SNAP-01] [SNAP-06] A snapshot is set as their target, and counts the devices that run it', async () => {
  const { page } = visitor
  for (const name of ['Oven 4', 'Mixer 1']) await addAssigned(name)
  await page.goto(`/instance/${bakery.instance.id}/snapshots`)
  await screens.menu.choose(page, 'Actions on Runs better', 'Set as Device Target')
  const dialog = page.getByRole('dialog', { name: 'Target Snapshot' })
  await expect.poll(() => field(page, 'Snapshot').innerText()).toContain('Runs better')
  const { name } = bakery.instance
  await sees(dialog.getByText(`modules on every device assigned to ${name} with those from the`))
  await shot(page, 'snapshots-target')
  await button(page, 'Set Target').click()
  await toast('Target snapshot updated.')
  const body = { project: bakery.instance.id, snapshot: bakery.snapshots['Runs better']!.id }
  for (const name of ['Oven 4', 'Mixer 1']) expect(await report(name, body)).toBe(200)
  await sees(row('Runs better').getByText('2 devices'))
  expect((await page.getByRole('columnheader').allInnerTexts()).slice(0, 3)).toEqual([
    'Snapshot',
    'Created By',
    'Date Created',
  ])
  expect(await row('Runs better').innerText()).toContain('Bob Example')
})

test('[DEV-26] [DEV-28] [DEV-29] [DEV-36] [SHELL-40] The overview of a device says what it is, and leads to where it belongs', async () => {
  const { page } = visitor
  const id = await addAssigned('Oven 4')
  // Told that it should run something else, or not: it is known to be there either way.
  expect([200, 409]).toContain(await report('Oven 4', { project: bakery.instance.id }))
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
    [heading, 'oven-line', `/instance/${bakery.instance.id}/overview`],
    [deployment, 'oven-line', `/instance/${bakery.instance.id}/overview`],
    [deployment, 'Oven line', `/application/${bakery.instance.application.id}/instances`],
  ] as const) {
    await part.getByRole('link', { name, exact: true }).click()
    await page.waitForURL(`**${path}`)
    await page.goBack()
  }
})

test('[DSET-01] [DSET-03] The settings of a device begin with the general ones, and end with what can do harm', async () => {
  const { page } = visitor
  const id = await addAssigned('Oven 4')
  await page.goto(`/device/${id}/settings`)
  await page.waitForURL(`**/device/${id}/settings/general`)
  await sees(page.getByRole('main').getByText(id))
  await shot(page, 'device-settings')
  const tabs = page.getByRole('navigation', { name: 'Device settings' }).getByRole('link')
  expect(await tabs.allInnerTexts()).toEqual(['General', 'Environment', 'Danger'])
})

/** A member and a viewer of the team, each with a device of the instance before them. */
async function openAs(name: string, role: 'member' | 'viewer') {
  const { people } = platform()
  const id = await addAssigned('Oven 4')
  people.add(name, { teamId: bakery.team.id, role: roles[role] })
  const one = await visitors.open(platform(), await people.signIn(name, admin.password))
  return { ...one, id, isMember: role === 'member', sees: () => sees(row('Oven 4', one)) }
}

test.each([
  ['member', 'mia'],
  ['viewer', 'vera'],
] as const)(
  '[DEV-09] [DEV-12] [DEV-15] [SNAP-06] A %s changes no device, and only a member chooses the target',
  async (role, name) => {
    const { page, isMember, ...one } = await openAs(name, role)
    await page.goto(`/team/${bakery.team.slug}/devices`)
    await one.sees()
    expect(await page.getByRole('button', { name: /^(Actions for .*|Add Device)$/ }).count()).toBe(0)
    await page.goto(devices())
    await one.sees()
    expect(await button(page, 'Target Snapshot').count()).toBe(Number(isMember))
    await page.goto(`/instance/${bakery.instance.id}/snapshots`)
    await page.getByRole('button', { name: 'Actions on Runs well' }).click()
    await sees(page.getByRole('menuitem', { name: 'View and compare' }))
    expect(await page.getByRole('menuitem', { name: 'Set as Device Target' }).count()).toBe(Number(isMember))
  },
)

test.each([
  ['member', 'mona'],
  ['viewer', 'viola'],
] as const)(
  '[DEV-13] [DSET-02] [DSET-03] [DSET-06] A %s sees the settings of a device, and only a member edits variables',
  async (role, name) => {
    const { page, id, isMember } = await openAs(name, role)
    const variables = { params: { deviceId: id }, body: { env: [{ name: 'LINE', value: 'north' }] } }
    await bakery.owner.client.call('device.saveSettings', variables)
    await page.goto(`/device/${id}/settings/danger`)
    await page.waitForURL(`**/device/${id}/settings/general`)
    const tabs = page.getByRole('navigation', { name: 'Device settings' }).getByRole('link')
    expect(await tabs.allInnerTexts()).toEqual(['General', 'Environment'])
    expect(await page.getByRole('button', { name: /^(Edit Details|Actions|Delete Device)$/ }).count()).toBe(0)
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
    } else await sees(page.getByText('north', { exact: true }))
    const fields = await page.getByRole('main').getByRole('textbox').count()
    expect([fields > 0, await button(page, 'Save settings').count()]).toEqual([isMember, Number(isMember)])
  },
)

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
