import type { Instance, Team } from '@app/contract'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { openAgent } from '../../apps/server/testing/agent.ts'
import { labelled } from '../../apps/server/testing/real.platform.ts'
import {
  button,
  createOwnerOf,
  deploys,
  openEditor,
  type Person,
  sees,
  shot,
  usePlatform,
  useVisitors,
} from './harness/index.ts'

const platform = usePlatform({ claimed: true })
const visitors = useVisitors()
let owner: Person
let team: Team
let instance: Instance

beforeAll(async () => {
  ;({ owner, team, instance } = await createOwnerOf('oven-line', platform()))
})

test('[DMODE-03] [DEV-34] Flows are tuned on a device: developer mode, editor, deploy, snapshot, and back to the target', async () => {
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
    `RED.view.importNodes(${JSON.stringify([{ ...flows.find(({ id }) => id === 'say'), template: 'tuned' }])}, { touchImport: true, generateIds: false, importMap: { say: 'replace' } })`,
  )
  await deploys(editor)
  await agent.answers('tuned')
  await shot(editor, 'device-editor')

  // The device loses its power: the page says so, and keeps what is not deployed.
  await editor.evaluate('globalThis.isSamePage = true')
  await agent.cutPower()
  await editor.getByText('The device is not connected').first().waitFor({ timeout: 5_000 })
  await shot(editor, 'device-editor-away')
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
