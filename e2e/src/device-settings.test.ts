import { beforeEach, expect, test } from 'vitest'
import { roles } from '@app/contract'
import {
  admin,
  button,
  field,
  screens,
  sees,
  shot,
  useDevices,
  usePlatform,
  useVisitors,
  type Visitor,
} from './harness/index.ts'

const platform = usePlatform({ claimed: true })
const visitors = useVisitors()
const { bakery, addAssigned, report } = useDevices(platform)
let visitor: Visitor
beforeEach(async () => {
  visitor = await visitors.open(platform(), bakery.owner)
})

const limit = (set: number | null, inForce: number) => ({ set, next: set ?? 256, inForce })
const nodeRedOf = async (deviceId: string) =>
  (await bakery.owner.client.call('device.get', { params: { deviceId } })).nodeRed

test('[DSET-07] [DSET-08] The memory limit of a device is saved, and the page says when it is in force', async () => {
  const { page } = visitor
  const id = await addAssigned('Oven 4')
  await report('Oven 4', { agent: 'a', memoryLimit: limit(null, 256) })
  await page.goto(`/device/${id}/settings/general`)
  const memory = field(page, 'Memory limit in MB')
  const card = page.locator('section', { has: page.getByRole('heading', { name: 'Node-RED' }) })
  await sees(card.getByText('In force: Node-RED runs with 256 MB.'))
  await memory.fill('12')
  await sees(card.getByText('A number from 64 to 65536'), page.getByText('Correct the marked fields to save.'))
  expect(await button(page, 'Save settings').isDisabled()).toBe(true)
  await memory.fill('512')
  await button(page, 'Save settings').click()
  await sees(screens.toast(page, 'Node-RED settings saved.'), card.getByText(/The device learns of it at its next/))
  expect(await nodeRedOf(id)).toMatchObject({ memory: 512 })
  await report('Oven 4', { agent: 'a', memoryLimit: limit(512, 256) })
  await sees(card.getByText('Node-RED runs with 256 MB. Restart it to use 512 MB.'))
  await shot(page, 'device-nodered')
  await report('Oven 4', { agent: 'a', memoryLimit: limit(512, 512) })
  await sees(card.getByText('In force: Node-RED runs with 512 MB.'))
})

test('[DSET-09] A version of Node-RED is saved, with a warning where the Node.js of the device is too old', async () => {
  const { page } = visitor
  const id = await addAssigned('Oven 4')
  const said = { agent: 'a', memoryLimit: limit(null, 256), nodeRedVersion: '4.1.15' }
  await report('Oven 4', { ...said, nodejsVersion: '20.19.1' })
  await page.goto(`/device/${id}/settings/general`)
  const version = field(page, 'Node-RED version')
  await version.fill('latest')
  await sees(page.getByText('An exact version such as 5.0.7'))
  await version.fill('5.0.7')
  await button(page, 'Save settings').click()
  await sees(page.getByText(/^Node-RED 5\.0\.7 needs Node\.js 22\.9 or later, and this device has 20\.19\.1/))
  await shot(page, 'device-nodered-warning')
  expect(await nodeRedOf(id)).toMatchObject({ version: '5.0.7', memory: null })
  await version.fill('')
  await button(page, 'Save settings').click()
  await expect.poll(async () => (await nodeRedOf(id))?.version).toBeNull()
})

test('[DSET-10] The palette of a device has lists of modules and catalogues', async () => {
  const { page } = visitor
  const id = await addAssigned('Oven 4')
  await report('Oven 4', { agent: 'a', memoryLimit: limit(null, 256) })
  await page.goto(`/device/${id}/settings/general`)
  await field(page, 'Denied nodes').fill('foo bar')
  await sees(page.getByText(/Must be a comma-separated list of nodes/))
  await field(page, 'Denied nodes').fill('evil-*, bad@1.0.0')
  await field(page, 'Allowed nodes').fill('@plant/*')
  await field(page, 'Catalogues').fill('https://plant.example.com/catalogue.json')
  await button(page, 'Save settings').click()
  await sees(screens.toast(page, 'Node-RED settings saved.'))
  expect(await nodeRedOf(id)).toMatchObject({
    allowList: ['@plant/*'],
    denyList: ['evil-*', 'bad@1.0.0'],
    catalogues: ['https://plant.example.com/catalogue.json'],
  })
  await shot(page, 'device-palette')
})

test('[DSET-11] Sign-ins of a device are saved, and their passwords are not shown again', async () => {
  const { page } = visitor
  const id = await addAssigned('Oven 4')
  await report('Oven 4', { agent: 'a', memoryLimit: limit(null, 256) })
  await page.goto(`/device/${id}/settings/general`)
  await field(page, 'Editor user name').fill('ann')
  await button(page, 'Save settings').click()
  await sees(page.getByText('Enter a password').first())
  await expect.poll(() => field(page, 'Editor password').evaluate((it) => it.matches(':focus'))).toBe(true)
  await field(page, 'Editor password').fill('kneading-4711')
  await field(page, 'Editor user name').fill('')
  await sees(page.getByText('Enter a user name'))
  await field(page, 'Editor user name').fill('ann')
  await button(page, 'Save settings').click()
  await sees(screens.toast(page, 'Node-RED settings saved.'))
  await expect.poll(() => field(page, 'Editor password').inputValue()).toBe('')
  expect(await nodeRedOf(id)).toMatchObject({ editorAuth: { user: 'ann' }, httpAuth: null })
  await shot(page, 'device-security')
})

test('Settings of Node-RED are sent once while the server is slow, and what is typed meanwhile stays', async () => {
  const { page } = visitor
  const id = await addAssigned('Oven 4')
  await report('Oven 4', { agent: 'a', memoryLimit: limit(null, 256) })
  const held = Promise.withResolvers<void>()
  const sent: unknown[] = []
  await page.route(`**/api/v1/devices/${id}`, async (route) => {
    if (route.request().method() !== 'PUT') return route.continue()
    sent.push(route.request().postDataJSON())
    await held.promise
    return route.continue()
  })
  await page.goto(`/device/${id}/settings/general`)
  await field(page, 'Memory limit in MB').fill('512')
  const save = button(page, 'Save settings')
  await save.click()
  await expect.poll(() => save.getAttribute('aria-busy')).toBe('true')
  await save.click({ force: true })
  await field(page, 'Node-RED version').fill('5.0.7')
  held.resolve()
  await sees(screens.toast(page, 'Node-RED settings saved.'))
  await expect.poll(() => save.getAttribute('aria-busy')).toBeNull()
  expect(await field(page, 'Node-RED version').inputValue()).toBe('5.0.7')
  expect(await field(page, 'Memory limit in MB').inputValue()).toBe('512')
  expect(sent).toMatchObject([{ nodeRed: { memory: 512, version: null } }])
})

test('[DSET-07] Whoever may not edit a device reads its settings of Node-RED as texts', async () => {
  const id = await addAssigned('Oven 4')
  await report('Oven 4', { agent: 'a', memoryLimit: limit(null, 256) })
  await bakery.owner.client.call('device.update', {
    params: { deviceId: id },
    body: { nodeRed: { denyList: ['evil-*'] } },
  })
  const { people } = platform()
  people.add('vera', { teamId: bakery.team.id, role: roles.viewer })
  const { page } = await visitors.open(platform(), await people.signIn('vera', admin.password))
  await page.goto(`/device/${id}/settings/general`)
  await sees(page.getByRole('group', { name: 'Denied nodes' }).getByText('evil-*'))
  await sees(page.getByRole('group', { name: 'Memory limit in MB' }).getByText('No Value'))
  expect(await button(page, 'Save settings').count()).toBe(0)
  await shot(page, 'device-nodered-viewer')
})

test('[DSET-07] A device whose agent does not know the settings of Node-RED says so', async () => {
  const { page } = visitor
  const id = await addAssigned('Oven 4')
  await report('Oven 4', { agentVersion: '4.2.1' })
  await page.goto(`/device/${id}/settings/general`)
  await sees(page.getByText(/The agent of this device does not know these settings/))
  expect(await field(page, 'Memory limit in MB').count()).toBe(0)
})
