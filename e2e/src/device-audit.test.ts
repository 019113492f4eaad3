import { auditLabel, roles } from '@app/contract'
import { expect, test } from 'vitest'
import { admin, sees, shot, useDevices, usePlatform, useVisitors } from './harness/index.ts'

const platform = usePlatform({ claimed: true })
const visitors = useVisitors()
const { bakery, tokens, addAssigned } = useDevices(platform)

/** The agent of a device reports an event of its Node-RED. */
async function say(name: string, id: string, event: string): Promise<void> {
  const { status } = await fetch(`http://127.0.0.1:${platform().port}/logging/device/${id}/audit`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tokens[name]}`, 'content-type': 'application/json' },
    body: JSON.stringify({ event }),
  })
  expect(status).toBe(200)
}

test('[DEV-66] [PERM-81] The page of a device has its audit log, which viewers filter and which grows by itself', async () => {
  const { owner, team } = bakery
  const [id, other] = [await addAssigned('Oven 3'), await addAssigned('Oven 4')]
  await say('Oven 3', id, 'safe-mode')
  await say('Oven 4', other, 'flows.set')
  const { people } = platform()
  people.add('vera', { teamId: team.id, role: roles.viewer })
  const { page } = await visitors.open(platform(), await people.signIn('vera', admin.password))
  const log = page.getByRole('main')
  const entry = (event: string) => log.getByText(auditLabel(event), { exact: true })
  await page.goto(`/device/${id}/overview`)
  await page.getByRole('navigation', { name: 'Device' }).getByRole('link', { name: 'Audit Log', exact: true }).click()
  await page.waitForURL(`**/device/${id}/audit-log`)
  await sees(entry('team.device.created'), entry('team.device.assigned'), entry('safe-mode'))
  await expect.poll(() => page.title()).toBe('Audit Log - Oven 3 - FlowForge')
  expect(await entry('flows.set').count()).toBe(0)
  await shot(page, 'device-audit-log')

  await owner.client.call('device.update', { params: { deviceId: id }, body: { type: 'Raspberry Pi 5' } })
  await sees(entry('team.device.updated'))
  await page.getByLabel('Event type:').click()
  await page.getByRole('option', { name: auditLabel('team.device.assigned'), exact: true }).click()
  await page.waitForURL('**?event=team.device.assigned')
  await entry('team.device.created').waitFor({ state: 'detached' })
  await page.reload()
  await sees(page.getByText('1 Event', { exact: true }))
})
