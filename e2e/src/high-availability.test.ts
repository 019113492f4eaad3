import type { Instance } from '@app/contract'
import { expect, test } from 'vitest'
import { ask, openTeam, screens, sees, shot, startInstance, until } from './harness/index.ts'

const { platform, visitors, owner, application } = await openTeam()

const untilReplicas = (instanceId: string) =>
  until(
    async () => owner.client.call('instance.get', { params: { instanceId } }),
    ({ meta }) => meta.replicas?.every(({ state }) => state === 'running') === true && meta.state === 'running',
    60_000,
  )

/** An instance that runs as two replicas. */
async function startReplicas(name: string): Promise<Instance> {
  const { id } = await startInstance(owner.client, name, application.id)
  await owner.client.call('ha.enable', { params: { instanceId: id }, body: { replicas: 2 } })
  return untilReplicas(id)
}

test('[HA-01] [HA-02] [HA-04] [INST-11] An instance becomes two replicas, and its header and its editor say so', async () => {
  const instance = await startInstance(owner.client, 'oven-line', application.id)
  const { page } = await visitors.open(platform(), owner)
  await page.goto(`/instance/${instance.id}/settings/general`)
  await sees(screens.heading(page, 'Instance Details'))
  expect(await page.getByRole('link', { name: 'High Availability: 2 replicas' }).count()).toBe(0)
  const tabs = page.getByRole('navigation', { name: 'Instance settings' })
  await tabs.getByRole('link', { name: 'High Availability' }).click()
  await page.getByRole('button', { name: 'Enable High Availability' }).click()
  await page.getByRole('button', { name: 'Enable', exact: true }).click()
  await sees(screens.toast(page, 'High Availability mode enabled. The Instance will now be restarted'))
  await untilReplicas(instance.id)
  await sees(page.getByRole('heading', { name: 'Replicas' }))
  expect(await page.getByRole('link', { name: 'Open Editor' }).getAttribute('href')).toBeNull()
  const front = await ask(platform(), instance.name)
  expect([front.status, front.body]).toEqual([403, expect.stringContaining('High Availability')])
  await shot(page, 'instance-settings-ha')
})

test('[APP-17] Lists of instances lead to its settings of High Availability', async () => {
  const { page } = await visitors.open(platform(), owner)
  const instance = await startReplicas('list-line')
  for (const list of [`/application/${instance.application.id}/instances`, `/team/${instance.team.slug}/instances`]) {
    await page.goto(list)
    await page.getByRole('table').getByText('list-line', { exact: true }).first().click()
    await page.waitForURL(`**/instance/${instance.id}/settings/ha`)
  }
})

test('[NRLOG-06] [NRLOG-08] [INST-11] The log shows all replicas, or the one that is chosen; the badge leads to the settings', async () => {
  const { page } = await visitors.open(platform(), owner)
  const instance = await startReplicas('pack-line')
  const { meta } = instance
  const [first, second] = meta.replicas!.map(({ id }) => id)
  await page.goto(`/instance/${instance.id}/logs`)
  await sees(page.getByText('Started flows').first())
  await page.getByRole('combobox', { name: 'Replica' }).click()
  expect(await page.getByRole('option').allTextContents()).toEqual(['All', first, second])
  await page.getByRole('option', { name: second! }).click()
  await sees(page.getByText(`[${second}]`).first())
  await page.getByText(`[${first}]`).first().waitFor({ state: 'detached' })
  await shot(page, 'instance-logs-replica')
  await page.getByRole('link', { name: 'High Availability: 2 replicas' }).click()
  await page.waitForURL(/settings\/ha$/)
})
