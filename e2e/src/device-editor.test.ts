import { expect, onTestFinished, test } from 'vitest'
import { labelled, openAgent, startRunningDevice } from '../../apps/server/testing/index.ts'
import { adjustSettings, admin, button, deploys, openEditor, openWorkshop, sees, shot } from './harness/index.ts'

const { platform, visitors, owner, team, instance } = await openWorkshop('oven-line')

test('[DMODE-03] [DMODE-06] [DEV-31] Flows are tuned on a device: developer mode, editor, deploy, snapshot, and back to the target', async () => {
  const { client } = owner
  const device = await client.call('device.create', { body: { name: 'Oven 3', type: 'Pi', team: team.id } })
  const params = { deviceId: device.id }
  const inInstance = { params: { instanceId: instance.id } }
  await client.call('device.update', { params, body: { instance: instance.id } })
  const flows = labelled('first') as Record<string, unknown>[]
  await client.call('snapshot.create', { ...inInstance, body: { name: 'First', flows, setAsTarget: true } })
  const { token, credentialSecret, broker } = device.credentials
  const agent = await openAgent({
    file: {
      deviceId: device.id,
      token,
      credentialSecret,
      forgeURL: `http://127.0.0.1:${platform().port}`,
      brokerURL: broker!.url,
      brokerUsername: broker!.username,
      brokerPassword: broker!.password,
    },
  })
  onTestFinished(() => agent.close())
  agent.start()
  await agent.answers('first')

  const visitor = await visitors.open(platform(), owner)
  const { page } = visitor
  await page.goto(`/device/${device.id}/overview`)
  await sees(page.getByText('running').first(), page.getByText('Editor Disabled'))
  await button(page, 'Developer Mode').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Enable' }).click()
  await button(page, 'Enable Editor Access').click()
  await sees(page.getByRole('link', { name: 'Device Editor' }))
  await shot(page, 'device-editor-access')
  const editor = await openEditor(visitor, () => page.getByRole('link', { name: 'Device Editor' }).click())
  await editor.evaluate(
    "{ const say = RED.nodes.node('say'); say.template = 'tuned'; say.changed = true; RED.nodes.dirty(true) }",
  )
  await deploys(editor)
  await agent.answers('tuned')

  // The device loses its power: the page says so, and keeps what is not deployed.
  await editor.evaluate('globalThis.isSamePage = true')
  await agent.cutPower()
  await editor.getByText('The device is not connected').first().waitFor({ timeout: 5_000 })
  agent.start()
  await agent.answers('tuned')
  await editor.getByText('The device is not connected').first().waitFor({ state: 'detached', timeout: 30_000 })
  expect(await editor.evaluate('globalThis.isSamePage')).toBe(true)

  await expect.poll(async () => (await client.call('device.get', { params })).status).toBe('running')
  await button(page, 'Developer Mode').click()
  await button(page, 'Create Snapshot First').click()
  const dialog = page.getByRole('dialog', { name: 'Create Snapshot' })
  await dialog.getByLabel('Name').fill('Tuned')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('dialog', { name: 'Disable Developer Mode' }).getByRole('button', { name: 'Disable' }).click()
  await agent.answers('first')
  await sees(page.getByText('Editor Disabled'))
  const { snapshots } = await client.call('snapshot.list', inInstance)
  expect(snapshots.map(({ name }) => name)).toEqual(['Tuned', 'First'])
})

/** A device in developer mode with a stub of an agent, which says that it runs. */
async function beginScripted(name: string) {
  const { device, params, agent, read } = await startRunningDevice(
    { address: `http://127.0.0.1:${platform().port}`, owner, team },
    { name },
  )
  agent.serveEditor(() => ({ headers: { 'content-type': 'text/html' }, body: '<body>Editor</body>' }))
  const says = async (state: string): Promise<void> => {
    agent.setState(state)
    await agent.report()
    await expect.poll(async () => (await read()).status).toBe(state)
  }
  await owner.client.call('deviceDeveloper.setMode', { params, body: { mode: 'developer' } })
  await expect.poll(() => agent.mode()).toBe('developer')
  return { device, params, agent, says }
}

test('[DEV-31] [DEV-32] [DEV-34] [DEV-35] The page of a device says how its editor is, and offers it to members alone', async () => {
  const { device, params, says } = await beginScripted('Oven 4')
  const { page } = await visitors.open(platform(), owner)
  const link = page.getByRole('link', { name: 'Device Editor' })
  const disabled = page.getByRole('button', { name: 'Editor Disabled' })
  const heading = (name: string) => page.getByRole('heading', { name, exact: true })
  await says('stopped')
  await page.goto(`/device/${device.id}/overview`)
  await sees(page.getByText('The device must be in "running" state to access the editor').first(), disabled)
  expect([await disabled.isDisabled(), await button(page, 'Enable Editor Access').isDisabled()]).toEqual([true, true])
  await shot(page, 'device-editor-stopped')
  await says('running')
  await sees(heading('Connection'), heading('Deployment'), heading('Developer Mode'))
  await sees(page.getByText('Deployed Snapshot'), page.getByText('Target Snapshot', { exact: true }))
  await expect.poll(() => button(page, 'Enable Editor Access').isEnabled()).toBe(true)
  await button(page, 'Enable Editor Access').click()
  await sees(link, page.getByText('Enabled, connected'))
  expect(await link.getAttribute('target')).toBe('_blank')
  expect(await disabled.count()).toBe(0)

  const { page: visiting } = await visitors.open(
    platform(),
    await platform().people.signIn(admin.username, admin.password),
  )
  await visiting.goto(`/device/${device.id}/overview`)
  await sees(visiting.getByText('Enabled, connected'), visiting.getByRole('button', { name: 'Editor Disabled' }))
  expect(await visiting.getByRole('link', { name: 'Device Editor' }).count()).toBe(0)
  expect(await visiting.getByRole('button', { name: 'Editor Disabled' }).isDisabled()).toBe(true)

  await owner.client.call('deviceEditor.set', { params, body: { enabled: false } })
  await sees(disabled)
  expect(await link.count()).toBe(0)
  // As by a link that somebody has kept.
  await page.goto(`/device/${device.id}/editor`)
  await sees(
    page.getByRole('heading', { name: 'The editor could not be opened' }),
    page.getByText('Editor access of this device is off'),
  )
})

test('[SHELL-42] While the editors of devices are switched off, the console opens none', async () => {
  const { device } = await beginScripted('Oven 5')
  const { page } = await visitors.open(platform(), owner)
  await adjustSettings(page, { features: { devices: true, projectComms: true, deviceEditor: false } })
  await page.goto(`/device/${device.id}/overview`)
  await sees(
    page.getByRole('button', { name: 'Editor Disabled' }),
    button(page, 'Create Snapshot').or(page.getByText('Developer Mode')).first(),
  )
  expect(await button(page, 'Enable Editor Access').count()).toBe(0)
  expect(await page.getByText('Editor Access').count()).toBe(0)
})
