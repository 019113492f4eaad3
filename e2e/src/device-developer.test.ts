import { expect, test } from 'vitest'
import { startRunningDevice } from '../../apps/server/testing/index.ts'
import { button, openWorkshop, sees, shot } from './harness/index.ts'

const { platform, visitors, owner, team, instance } = await openWorkshop('oven-line')

const begin = async (name: string) =>
  startRunningDevice({ address: `http://127.0.0.1:${platform().port}`, owner, team }, { name })

test('[DMODE-01] [DMODE-08] [DMODE-09] [DEV-33] Developer mode is switched on and off in its dialog', async () => {
  const { device, agent, read } = await begin('Oven 3')
  const visitor = await visitors.open(platform(), owner)
  const { page } = visitor
  const dialog = (name: string) => page.getByRole('dialog', { name })
  await page.goto(`/device/${device.id}/overview`)
  await button(page, 'Developer Mode').click()
  await sees(dialog('Enable Developer Mode'), page.getByText('new target snapshots wait').first())
  await shot(page, 'developer-mode-enable')
  await dialog('Enable Developer Mode').getByRole('button', { name: 'Cancel' }).click()
  expect((await read()).mode).toBe('autonomous')
  await button(page, 'Developer Mode').click()
  await dialog('Enable Developer Mode').getByRole('button', { name: 'Enable' }).click()
  await sees(page.getByRole('heading', { name: 'Developer Mode', exact: true }))
  await expect.poll(() => agent.mode()).toBe('developer')
  await shot(page, 'developer-mode')
  await button(page, 'Developer Mode').click()
  await sees(dialog('Disable Developer Mode'), page.getByText('in no snapshot are lost').first())
  await shot(page, 'developer-mode-disable')
  await dialog('Disable Developer Mode').getByRole('button', { name: 'Disable' }).click()
  await expect.poll(() => agent.mode()).toBe('autonomous')
  await expect.poll(async () => page.getByRole('heading', { name: 'Developer Mode', exact: true }).count()).toBe(0)
})

test('[DEV-61] [DMODE-12] A snapshot is made of what is on the device, before developer mode is left; or it says why not', async () => {
  const { device, params, agent } = await begin('Oven 4')
  await owner.client.call('device.update', { params, body: { instance: instance.id } })
  await owner.client.call('deviceDeveloper.setMode', { params, body: { mode: 'developer' } })
  await expect.poll(() => agent.mode()).toBe('developer')
  agent.setState('running')
  await agent.report()
  const visitor = await visitors.open(platform(), owner)
  const { page } = visitor
  await page.goto(`/device/${device.id}/overview`)
  agent.upload({ state: 'stopped' })
  visitor.expectProblem(/409/)
  await button(page, 'Developer Mode').click()
  await button(page, 'Create Snapshot First').click()
  const dialog = page.getByRole('dialog', { name: 'Create Snapshot' })
  await dialog.getByLabel('Name').fill('Tuned')
  await shot(page, 'developer-mode-snapshot')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await sees(page.getByText('Failed to create snapshot from the device.').first())
  agent.upload({ state: 'running', flows: [{ id: 'tab', type: 'tab', label: 'Tuned' }] })
  await dialog.getByRole('button', { name: 'Create' }).click()
  await sees(page.getByRole('dialog', { name: 'Disable Developer Mode' }))
  const { snapshots } = await owner.client.call('snapshot.list', { params: { instanceId: instance.id } })
  expect(snapshots.map(({ name }) => name)).toEqual(['Tuned'])
})

test('An agent that is too old has no developer mode', async () => {
  const body = { name: 'Oven 5', type: 'Pi', team: team.id }
  const device = await owner.client.call('device.create', { body })
  const old = await fetch(`http://127.0.0.1:${platform().port}/api/v1/devices/${device.id}/live/state`, {
    method: 'POST',
    headers: { authorization: `Bearer ${device.credentials.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ state: 'running', agentVersion: '0.7.9' }),
  })
  expect([200, 409]).toContain(old.status)
  const { page } = await visitors.open(platform(), owner)
  await page.goto(`/device/${device.id}/overview`)
  await button(page, 'Developer Mode').click()
  await sees(page.getByRole('dialog', { name: 'Developer Mode Unavailable' }), page.getByText('0.7.9').first())
})
