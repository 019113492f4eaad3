import { expect, test } from 'vitest'
import { ask, openWorkshop, screens, sees, shot, until, untilState } from './harness/index.ts'

const flows = [
  { id: 'tab', type: 'tab', label: 'Line 4' },
  { id: 'in', z: 'tab', type: 'http in', url: '/count', method: 'get', wires: [['fn']] },
  {
    id: 'fn',
    z: 'tab',
    type: 'function',
    name: 'Count loaves',
    func: `
      const count = (context.get('count', 'persistent') ?? 0) + 1
      context.set('count', count, 'persistent')
      global.set('last-shift', 'x'.repeat(200000), 'persistent')
      msg.payload = 'loaf ' + count
      return msg`,
    outputs: 1,
    wires: [['out']],
  },
  { id: 'out', z: 'tab', type: 'http response', wires: [] },
]

const counts = (expected: string) =>
  until(
    () => ask(platform(), instance.name, '/count').catch(() => ({ status: 0, body: '' })),
    ({ body }) => body === expected,
    45_000,
  )

const { platform, visitors, owner, instance } = await openWorkshop('oven-line')

test('The Context page lists what flows keep through a restart, and deletes it after a question', async () => {
  const { page } = await visitors.open(platform(), owner)
  await page.goto(`/instance/${instance.id}/overview`)
  await page.getByRole('link', { name: 'Context', exact: true }).click()
  await sees(page.getByText('No Persistent Values'))
  await shot(page, 'instance-context-empty')

  const params = { instanceId: instance.id }
  await owner.client.call('instance.import', { params, body: { flows: JSON.stringify(flows) } })
  await untilState(owner.client, instance.id, 'running')
  await counts('loaf 1')
  await owner.client.call('instance.restart', { params })
  await untilState(owner.client, instance.id, 'running')
  await counts('loaf 2')

  await page.reload()
  const row = page.getByRole('row', { name: /Count loaves/ })
  await sees(row.getByText('Node Count loaves in Line 4'), page.getByText('200 kB of 16.0 MB used.'))
  await shot(page, 'instance-context')
  await page.getByRole('button', { name: 'Delete count' }).click()
  await sees(page.getByText('“count” (Node Count loaves in Line 4) is deleted.'))
  await shot(page, 'instance-context-delete')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete', exact: true }).click()
  await sees(screens.toast(page, 'Value deleted.'))
  await row.waitFor({ state: 'detached' })
  await counts('loaf 1')
  await page.goto(`/instance/${instance.id}/audit-log`)
  await sees(page.getByText('Persistent context deleted').first())

  await owner.client.call('instance.suspend', { params })
  await untilState(owner.client, instance.id, 'suspended')
  await page.goto(`/instance/${instance.id}/context`)
  await sees(page.getByText('The Instance Is Not Running'))
  expect(await page.getByRole('button', { name: 'Delete All' }).count()).toBe(0)
  await shot(page, 'instance-context-stopped')
})
