import { expect, test } from 'vitest'
import { startRunningDevice } from '../../apps/server/testing/index.ts'
import { adjustSettings, openWorkshop, sees, shot } from './harness/index.ts'

const { platform, visitors, owner, team } = await openWorkshop('oven-line')

const begin = async (name: string, state: string) =>
  startRunningDevice({ address: `http://127.0.0.1:${platform().port}`, owner, team }, { name, state, release: '1.9.4' })

test('[DEV-27] [DEV-37] [DEV-38] The log of a device shows what it kept and each new line, and why there is none', async () => {
  const { device, agent } = await begin('Oven 3', 'running')
  for (let n = 1; n < 30; n += 1) await agent.log(`Batch ${n} of flour is in`)
  await agent.log('[function:mix] The dough is too dry', 'warn')
  await agent.log('[mqtt-broker:plant] Connection failed', 'error')
  const visitor = await visitors.open(platform(), owner)
  const { page } = visitor
  await page.goto(`/device/${device.id}/overview`)
  await page.getByRole('link', { name: 'Logs', exact: true }).click()
  const log = page.getByRole('log')
  await sees(log.getByText('Batch 29 of flour is in'), log.getByText('The dough is too dry'))
  await agent.log('Batch 30 of flour is in')
  await sees(log.getByText('Batch 30 of flour is in'))
  await shot(page, 'device-log')

  const second = await visitors.open(platform(), owner)
  await second.page.goto(`/device/${device.id}/logs`)
  await sees(second.page.getByRole('log').getByText('Batch 30 of flour is in'))

  await page.getByLabel('Search log').fill('dough')
  await page.getByRole('button', { name: 'Only matches' }).click()
  await expect.poll(() => log.getByText('Batch 30').count()).toBe(0)
  await sees(log.getByText('The dough is too dry'))
  await page.getByLabel('Search log').fill('')

  await agent.end()
  await sees(page.getByText('The agent lost its connection to the broker. Its log goes on here once it is back.'))
  await sees(log.getByText('Batch 30 of flour is in'))
  await shot(page, 'device-log-lost')
  await agent.connect()
  agent.setState('running')
  await agent.report()
  await agent.log('Batch 31 of flour is in')
  await sees(log.getByText('Batch 31 of flour is in'))
  await expect.poll(() => log.getByText('Batch 30 of flour is in').count()).toBe(1)
  await expect.poll(() => page.getByText('The agent lost its connection').count()).toBe(0)

  agent.setState('stopped')
  await agent.report()
  await sees(page.getByText('Logs unavailable'))
  await shot(page, 'device-log-unavailable')
})

test('[DEV-27] A device whose agent calls over HTTP only, or never did, has a sentence instead of lines; with messages off there is no tab', async () => {
  const device = await owner.client.call('device.create', { body: { name: 'Oven 4', type: 'Pi', team: team.id } })
  const visitor = await visitors.open(platform(), owner)
  const { page } = visitor
  await page.goto(`/device/${device.id}/logs`)
  await sees(page.getByText('The agent of this device has not called yet. Its log appears here once it does.'))
  const answer = await fetch(`http://127.0.0.1:${platform().port}/api/v1/devices/${device.id}/live/state`, {
    method: 'POST',
    headers: { authorization: `Bearer ${device.credentials.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ project: null, snapshot: null, settings: null, state: 'running' }),
  })
  expect(answer.status).toBe(409)
  await sees(page.getByText(/The agent calls over HTTP only/))
  await shot(page, 'device-log-http')

  await adjustSettings(page, { features: { projectComms: false } })
  await page.goto(`/device/${device.id}/overview`)
  await sees(page.getByRole('link', { name: 'Settings', exact: true }))
  expect(await page.getByRole('link', { name: 'Logs', exact: true }).count()).toBe(0)
})
