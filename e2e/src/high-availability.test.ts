import type { Instance } from '@app/contract'
import { beforeAll, expect, test } from 'vitest'
import {
  admin,
  ask,
  createInstance,
  createTeam,
  type Person,
  screens,
  sees,
  shot,
  until,
  untilState,
  usePlatform,
  useVisitors,
  type Visitor,
} from './harness/index.ts'

const platform = usePlatform({ claimed: true })
const visitors = useVisitors()
let owner: Person
let visitor: Visitor
let instance: Instance

beforeAll(async () => {
  platform().people.add('bob')
  owner = await platform().people.signIn('bob', admin.password)
  const { application } = await createTeam(owner.client, 'Example Bakery')
  const { id } = await createInstance(owner.client, { name: 'oven-line', applicationId: application.id })
  instance = await untilState(owner.client, id, 'running')
  visitor = await visitors.open(platform(), owner)
})

test('[HA-01] [HA-02] [HA-04] An instance becomes two replicas, and its header and its editor say so', async () => {
  const { page } = visitor
  await page.goto(`/instance/${instance.id}/settings/general`)
  await sees(screens.heading(page, 'Instance Details'))
  expect(await page.getByRole('link', { name: 'High Availability: 2 replicas' }).count()).toBe(0)
  const tabs = page.getByRole('navigation', { name: 'Instance settings' })
  await tabs.getByRole('link', { name: 'High Availability' }).click()
  await page.getByRole('button', { name: 'Enable High Availability' }).click()
  await page.getByRole('button', { name: 'Enable', exact: true }).click()
  await sees(screens.toast(page, 'High Availability mode enabled. The Instance will now be restarted'))
  await until(
    async () => owner.client.call('instance.get', { params: { instanceId: instance.id } }),
    ({ meta }) => meta.replicas?.every(({ state }) => state === 'running') === true && meta.state === 'running',
    60_000,
  )
  await sees(page.getByRole('heading', { name: 'Replicas' }))
  expect(await page.getByRole('link', { name: 'Open Editor' }).getAttribute('href')).toBeNull()
  const front = await ask(platform(), instance.name)
  expect([front.status, front.body]).toEqual([403, expect.stringContaining('High Availability')])
  await shot(page, 'instance-settings-ha')
})

test('[APP-17] Lists of instances lead to its settings of High Availability', async () => {
  const { page } = visitor
  for (const list of [`/application/${instance.application.id}/instances`, `/team/${instance.team.slug}/instances`]) {
    await page.goto(list)
    await page.getByRole('table').getByText('oven-line', { exact: true }).first().click()
    await page.waitForURL(`**/instance/${instance.id}/settings/ha`)
  }
})

test('[NRLOG-06] [NRLOG-08] [INST-11] The log shows all replicas, or the one that is chosen; the badge leads to the settings', async () => {
  const { page } = visitor
  const { meta } = await owner.client.call('instance.get', { params: { instanceId: instance.id } })
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
