import { roles } from '@app/contract'
import { readFile } from 'node:fs/promises'
import { beforeEach, expect, test } from 'vitest'
import { admin, answer, button, field, openWorkshop, screens, sees, shot, type Visitor } from './harness/index.ts'

const { platform, visitors, owner, team, instance } = await openWorkshop('press-line')
let visitor: Visitor

beforeEach(async () => {
  const params = { teamId: team.id }
  for (const { id } of await all()) await owner.client.call('device.delete', { params: { deviceId: id } })
  for (const { id } of (await owner.client.call('provisioning.list', { params })).tokens)
    await owner.client.call('provisioning.delete', { params: { ...params, tokenId: id } })
  visitor = await visitors.open(platform(), owner)
})

const all = async () =>
  (await owner.client.call('device.listOfTeam', { params: { teamId: team.id }, query: { limit: 100 } })).devices
const settings = () => `/team/${team.slug}/settings/devices`
const devices = () => `/team/${team.slug}/devices`
const row = (name: string) => visitor.page.getByRole('row').filter({ hasText: name })
const dialog = (name: string) => visitor.page.getByRole('dialog', { name })
const toast = (text: string) => sees(visitor.page.getByText(text).first())
const filled = (text: string) =>
  Object.fromEntries(
    text
      .trimEnd()
      .split('\n')
      .map((line) => line.split(': ')),
  )
const clipboard = () => visitor.page.evaluate<string>('navigator.clipboard.readText()')

/** A call of an agent, on the address at which the platform listens. */
const call = async (method: string, path: string, token: string, body?: object) =>
  fetch(`http://127.0.0.1:${platform().port}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
type Registered = { id: string; credentials: { token: string; credentialSecret: string } }
const report = async ({ id, credentials }: Registered, state: string, more: object = {}) =>
  (await call('POST', `/api/v1/devices/${id}/live/state`, credentials.token, { state, snapshot: null, ...more })).status

/** The steps of an agent of release 1.9.4 with a provisioning file: it looks for the platform, registers, and calls. */
async function agent194(file: Record<string, string>, name: string): Promise<Registered> {
  expect((await call('GET', '/', file.provisioningToken!)).status).toBe(200)
  const made = await call('POST', '/api/v1/devices', file.provisioningToken!, {
    name,
    type: `Auto Provisioned [${file.provisioningName}]`,
    team: file.provisioningTeam,
  })
  expect(made.status).toBe(200)
  return (await made.json()) as Registered
}
const add = async (name: string): Promise<Registered> =>
  owner.client.call('device.create', { body: { name, type: 'Pi', team: team.id } })

test('[PROV-02] [PROV-06] [PROV-09] [PROV-10] [PROV-13] An owner makes a token, and a machine with its file registers itself', async () => {
  const { page } = visitor
  await page.goto(settings())
  await sees(page.getByText('No provisioning tokens'))
  await shot(page, 'provisioning-none')
  await button(page, 'Add Token').click()
  expect(await field(page, 'Name').inputValue()).toBe('Auto Provisioning Token')
  await field(page, 'Name').fill('Line 3')
  await field(page, 'Instance').click()
  await page.getByRole('option', { name: instance.name }).click()
  await field(page, 'Expires').fill('2099-01-01T00:00')
  await shot(page, 'provisioning-create')
  await button(page, 'Create').click()
  await toast('Provisioning Token successfully created.')
  const shown = dialog('Provisioning File')
  await shown.getByRole('button', { name: 'Copy' }).click()
  const file = filled(await clipboard())
  expect(file).toEqual({
    // In quotes, so that every name is a text in YAML.
    provisioningName: '"Line 3"',
    provisioningTeam: team.id,
    provisioningToken: expect.stringMatching(/^ffadp_/),
    forgeURL: platform().url,
  })
  await shot(page, 'provisioning-file')
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    shown.getByRole('button', { name: 'Download' }).click(),
  ])
  expect(filled(await readFile(await saved.path(), 'utf8'))).toEqual(file)
  await button(page, 'Done').click()
  await sees(row('Line 3').getByText(instance.name), row('Line 3').getByText(/^in 7\d years$/))
  expect(await page.getByText(file.provisioningToken).count()).toBe(0)

  const device = await agent194(file, 'press-7 (00:1b:44:11:3a:b7)')
  await agent194(file, 'press-8 (00:1b:44:11:3a:b8)')
  await add('Added by hand')
  // It is pushed.
  await sees(row('Line 3').getByRole('link', { name: '2' }))
  await shot(page, 'provisioning')
  await row('Line 3').getByRole('link', { name: '2' }).click()
  await sees(
    row('press-7').getByText('never').first(),
    row('press-7').getByRole('link', { name: instance.name }),
    row('press-8'),
  )
  expect(await row('Added by hand').count()).toBe(0)
  expect(await report(device, 'running', { project: instance.id, agentVersion: '1.9.4' })).toBe(200)
  await sees(row('press-7').getByText('running'))
})

test('[TSET-06] [PROV-05] [PROV-14] [PROV-15] [PROV-16] It is changed and deleted; what is refused is said where it belongs', async () => {
  const { page } = visitor
  const params = { teamId: team.id }
  await owner.client.call('provisioning.create', { params, body: { name: 'Line 4' } })
  await page.goto(`/team/${team.slug}/settings/general`)
  await page.getByRole('navigation', { name: 'Team settings' }).getByRole('link', { name: 'Devices' }).click()
  await sees(row('Line 4'))
  const path = `/api/v1/teams/${team.id}/devices/provisioning`

  visitor.expectProblem(/400/)
  await button(page, 'Add Token').click()
  /** The texts that describe a field: its error, then its help. */
  const describing = (name: string) =>
    field(page, name).evaluate((element) =>
      (element.getAttribute('aria-describedby') ?? '')
        .split(' ')
        .map((id: string) => element.ownerDocument.getElementById(id)?.innerText),
    )
  for (const [text, name] of [
    ['name: This name will not do', 'Name'],
    ['instance: It is gone', 'Instance'],
    ['expiryAt: Too early', 'Expires'],
  ] as const) {
    await answer(page, `POST ${path}`, 400, { code: 'invalid_request', error: text })
    await button(page, 'Create').click()
    await expect.poll(() => describing(name)).toContain(text)
    await page.unrouteAll()
  }
  await answer(page, `POST ${path}`, 400, { code: 'invalid_request', error: 'No room' })
  await button(page, 'Create').click()
  await toast('Failed to create provisioning token: No room')
  await page.unrouteAll()
  await button(page, 'Cancel').click()

  const choose = (item: string) => screens.menu.choose(page, /^Actions for Line 4$/, item)
  const tokenId = (await owner.client.call('provisioning.list', { params })).tokens[0]!.id
  await choose('Edit Details')
  expect(await field(page, 'Name').getAttribute('readonly')).not.toBeNull()
  await answer(page, `PUT ${path}/${tokenId}`, 400, { code: 'invalid_request', error: 'No room' })
  await button(page, 'Save').click()
  await toast('Failed to update provisioning token: No room')
  await page.unrouteAll()
  await field(page, 'Expires').fill('2099-01-01T00:00')
  await button(page, 'Save').click()
  await toast('Provisioning Token successfully updated.')
  expect((await owner.client.call('provisioning.list', { params })).tokens[0]?.expiresAt).toMatch(
    /^(2098-12-31|2099-01-01)/,
  )

  await choose('Delete Token')
  await answer(page, `DELETE ${path}/${tokenId}`, 400, { code: 'invalid_request', error: 'No room' })
  await button(page, 'Delete').click()
  await toast('Failed to delete token: No room')
  await page.unrouteAll()
  await choose('Delete Token')
  await button(page, 'Delete').click()
  await toast('Successfully deleted the token')
  await sees(page.getByText('No provisioning tokens'))
})

test('[PROV-11] The tokens are asked for every 10 seconds', async () => {
  const { page } = visitor
  const calls: number[] = []
  page.on('request', (request) => {
    if (request.url().includes('/devices/provisioning')) calls.push(Date.now())
  })
  await page.goto(settings())
  await expect.poll(() => calls.length, { timeout: 30_000 }).toBeGreaterThanOrEqual(3)
  for (const [at, time] of calls.slice(1, 3).entries()) {
    expect(time - calls[at]!).toBeGreaterThan(8_000)
    expect(time - calls[at]!).toBeLessThan(14_000)
  }
})

test('[PROV-03] Members of the team see neither the page nor the tokens', async () => {
  platform().people.add('mia', { teamId: team.id, role: roles.member })
  const theirs = await visitors.open(platform(), await platform().people.signIn('mia', admin.password))
  await theirs.page.goto(settings())
  await theirs.page.waitForURL(`**/team/${team.slug}/applications`)
  expect(await theirs.page.getByText('Provisioning Tokens').count()).toBe(0)
})

test('[DEV-05] [DEV-06] [DEV-58] Two charts count the devices, and each bar filters the list; the link can be shared', async () => {
  const { page } = visitor
  const [running, crashed] = [await add('Press 1'), await add('Press 2')]
  await add('Press 3')
  await report(running, 'running')
  await report(crashed, 'crashed')
  await page.goto(devices())
  const chart = (name: string) => page.getByRole('region', { name, exact: true })
  const bar = (name: string, id: string) => chart(name).locator(`[data-bar=${id}]`)
  const counts = async (name: string) =>
    Object.fromEntries(
      await Promise.all(
        (await chart(name).getByRole('button').all()).map(async (one) => [
          await one.getAttribute('data-bar'),
          Number((await one.innerText()).split('\n').at(-1)),
        ]),
      ),
    )
  await sees(chart('Last Seen'), row('Press 1'))
  expect(await counts('Last Seen')).toEqual({ running: 2, safe: 0, error: 0, never: 1 })
  expect(await counts('Last Known Status')).toEqual({ running: 1, safe: 0, stopped: 0, error: 1, offline: 0, never: 1 })
  const styles = await Promise.all(
    ['error', 'never', 'stopped', 'offline', 'safe', 'running'].map((id) =>
      bar('Last Known Status', id).locator('[data-part=bar]').getAttribute('class'),
    ),
  )
  expect(new Set(styles.map((style) => style?.replace(' min-w-1', ''))).size).toBe(6)
  await bar('Last Known Status', 'error').click()
  await row('Press 1').waitFor({ state: 'detached' })
  await sees(row('Press 2'))
  expect(new URL(page.url()).searchParams.get('status')).toBe('error')
  await shot(page, 'devices-filtered')
  const colleague = await visitors.open(platform(), owner)
  await colleague.page.goto(page.url())
  await sees(colleague.page.getByRole('row').filter({ hasText: 'Press 2' }))
  expect(await colleague.page.getByRole('row').count()).toBe(2)
  await bar('Last Known Status', 'error').click()
  await sees(row('Press 1'), row('Press 3'))
  expect(new URL(page.url()).search).toBe('')
  await bar('Last Seen', 'never').click()
  await row('Press 1').waitFor({ state: 'detached' })
  await sees(row('Press 3'))
})

test('Adding a device waits for it, and turns green when an agent of release 4 calls with the one-time code', async () => {
  const { page } = visitor
  await page.goto(devices())
  await button(page, 'Add Device').click()
  await field(page, 'Name').fill('Press 9')
  await button(page, 'Add').click()
  const shown = dialog('Device Credentials')
  await sees(shown.getByText('Waiting for the device to connect...'), shown.getByText(/Other machines cannot reach/))
  await shot(page, 'devices-onboarding')
  await shown.getByRole('button', { name: 'Copy commands' }).click()
  const [, own, ownCode] =
    /^curl -fsSL (\S+)\/agent\/install\.sh \| sudo sh -s -- --otc (\S+)$/.exec(await clipboard()) ?? []
  expect(own).toBe(platform().url)
  await shown.getByRole('radio', { name: 'Windows' }).click()
  await shown.getByRole('button', { name: 'Copy commands' }).click()
  const [, code, address] = /--otc (\S+) --ff-url (\S+)/.exec(await clipboard()) ?? []
  expect([code, address]).toEqual([ownCode, platform().url])
  await shown.getByRole('radio', { name: 'Docker' }).click()
  await sees(shown.getByText(/docker run .*flowforge-agent --otc/))

  expect((await call('GET', '/api/v1/settings/', '')).status).toBe(200)
  const encoded = Buffer.from(code!).toString('base64')
  const setUp = await call('POST', '/api/v1/devices/', encoded, { setup: true, agentHost: 'press-9' })
  expect(setUp.status).toBe(200)
  const device = (await setUp.json()) as Registered
  expect(await report(device, 'stopped', { agentVersion: '4.2.1', nodejsVersion: 'v22.9.0' })).toBe(200)
  await sees(
    shown.getByText('Connected.'),
    shown.getByText('Press 9 called and is stopped. Agent 4.2.1. Node.js 22.9.0.'),
  )
  await shot(page, 'devices-connected')
})

test('Selected devices are assigned, removed and deleted together', async () => {
  const { page } = visitor
  for (const name of ['Press 1', 'Press 2', 'Press 3']) await add(name)
  await page.goto(devices())
  for (const name of ['Press 1', 'Press 2']) await page.getByRole('checkbox', { name: `Select ${name}` }).click()
  const bar = page.getByRole('region', { name: 'Selected devices' })
  await sees(bar.getByText('2 selected'))
  await shot(page, 'devices-selected')
  await bar.getByRole('button', { name: 'Add to Instance' }).click()
  await field(page, 'Application').click()
  await page.getByRole('option').first().click()
  await expect.poll(() => field(page, 'Instance').innerText()).toBe(instance.name)
  await dialog('Add to Instance').getByRole('button', { name: 'Add', exact: true }).click()
  await toast('2 devices added to the instance.')
  await sees(row('Press 1').getByRole('link', { name: instance.name }))
  expect((await all()).map((device) => device.instance?.id)).toEqual([instance.id, instance.id, undefined])

  await page.getByRole('checkbox', { name: 'Select all shown' }).click()
  await bar.getByRole('button', { name: 'Remove from Instance' }).click()
  await button(page, 'Remove').click()
  await toast('3 devices removed from the instance.')
  await page.getByRole('checkbox', { name: 'Select Press 3' }).click()
  await bar.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('alertdialog').getByRole('textbox').fill('1 device')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete', exact: true }).click()
  await toast('1 device deleted.')
  expect((await all()).map(({ name }) => name)).toEqual(['Press 1', 'Press 2'])
})

test('The window of a secret that is shown once stays until the secret is there', async () => {
  const { page } = visitor
  const { id } = await add('Oven 1')
  /** Holds the answer of a call back, and lets it go. */
  const hold = async (address: string) => {
    const held = Promise.withResolvers<void>()
    await page.route(address, async (route) => {
      if (route.request().method() === 'POST') await held.promise
      await route.continue()
    })
    return held.resolve
  }
  const press = async (name: string, act: string) => {
    const main = dialog(name).getByRole('button', { name: act, exact: true })
    await main.click()
    await expect.poll(() => main.getAttribute('aria-busy')).toBe('true')
    await page.keyboard.press('Escape')
    expect(await dialog(name).getByRole('button', { name: 'Cancel' }).isDisabled()).toBe(true)
  }

  const renew = await hold('**/generate_credentials')
  await page.goto(`/device/${id}/overview`)
  await screens.menu.choose(page, 'Actions', 'Regenerate Credentials')
  await press('Regenerate Credentials', 'Regenerate Credentials')
  renew()
  await sees(dialog('Device Credentials').getByText(/^deviceId: /))

  const create = await hold('**/devices/provisioning')
  await page.goto(settings())
  await button(page, 'Add Token').click()
  await press('Create Provisioning Token', 'Create')
  create()
  await sees(dialog('Provisioning File').getByText(/^provisioningName: /))
})
