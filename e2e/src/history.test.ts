import { beforeAll, beforeEach, expect, test } from 'vitest'
import { bringFlows, openWorkshop, sees, shot, until, type Visitor } from './harness/index.ts'

const { platform, visitors, owner, instance } = await openWorkshop('oven-line')
let visitor: Visitor

const flows = (word: string) => [
  { id: 'oven', type: 'tab', label: 'Oven line', disabled: false, info: '', env: [] },
  { id: 'start', type: 'inject', name: 'Start', z: 'oven', x: 120, y: 80, wires: [['judge']] },
  {
    id: 'judge',
    type: 'function',
    name: 'Judge',
    z: 'oven',
    x: 320,
    y: 80,
    func: `return { payload: '${word}' }`,
    outputs: 1,
    libs: [],
    wires: [[]],
  },
]
const params = () => ({ params: { instanceId: instance.id } })

/** A deploy, a snapshot, a deploy after it and a rollback: one point of each kind. */
beforeAll(async () => {
  await bringFlows(owner.client, instance.id, flows('warm'))
  const { id } = await owner.client.call('snapshot.create', {
    ...params(),
    body: { name: 'Before Easter', description: 'Line 1 runs well' },
  })
  await bringFlows(owner.client, instance.id, flows('hot'))
  await owner.client.call('deployment.rollback', { ...params(), body: { snapshot: id } })
  await until(
    async () => (await owner.client.call('deployment.list', { ...params(), query: { limit: 1 } })).deployments[0],
    (last) => last?.state === 'done',
  )
})
beforeEach(async () => {
  visitor = await visitors.open(platform(), owner)
})

const rows = () => visitor.page.getByRole('table', { name: 'History' }).getByRole('row')
const choose = async (what: RegExp) =>
  visitor.page
    .getByRole('checkbox', { name: new RegExp(`^Select ${what.source} to compare`) })
    .first()
    .check()

test('One history holds what was deployed and what was kept, is filtered, and its link shows others the same', async () => {
  const { page } = visitor
  await page.goto(`/instance/${instance.id}/overview`)
  await page.getByRole('link', { name: 'History', exact: true }).click()
  const rollback = rows().filter({ hasText: 'Rollback to “Before Easter”' })
  await sees(rollback.getByText('current'), rows().filter({ hasText: 'Line 1 runs well' }))
  await shot(page, 'history')

  await page.getByRole('radio', { name: 'Snapshots' }).click()
  await expect.poll(() => rows().count()).toBe(2)
  await page.reload()
  await sees(rows().filter({ hasText: 'Snapshot “Before Easter”' }))
  expect(await rows().count()).toBe(2)

  await page.getByRole('radio', { name: 'Problems' }).click()
  await sees(page.getByRole('heading', { name: 'Nothing Found' }))
  await shot(page, 'history-nothing-found')
  await page.getByRole('button', { name: 'Show All' }).click()
  await page.getByRole('searchbox', { name: 'Search History' }).fill('easter')
  await expect.poll(() => rows().count()).toBe(3)
})

test('Two points of the history are compared whatever they are, by an address that others can open', async () => {
  const { page } = visitor
  await page.goto(`/instance/${instance.id}/history`)
  const compare = page.getByRole('button', { name: /^Compare/ })
  await sees(rows().filter({ hasText: 'Before Easter' }).first())
  expect(await compare.isDisabled()).toBe(true)
  await choose(/Snapshot “Before Easter”/)
  await choose(/Import of files/)
  await page.getByRole('button', { name: 'Compare', exact: true }).click()
  // The list behind says “1 changed” of its own rows, until the comparison has come.
  await page.waitForURL(/\/history\/compare\?/)
  await page.getByRole('table', { name: 'History' }).waitFor({ state: 'detached' })
  await sees(page.getByText('1 changed', { exact: true }), page.getByText('Judge', { exact: true }).last())
  await page.locator('summary', { hasText: 'Judge' }).click()
  await sees(page.getByText("return { payload: 'hot' }"))
  await shot(page, 'history-compare')
  await page.getByRole('button', { name: 'Swap' }).click()
  await page.waitForURL(/to=snapshot/)
  await sees(page.getByText('1 changed', { exact: true }))
  const { page: colleague } = await visitors.open(platform(), owner)
  await colleague.goto(page.url())
  await sees(colleague.getByText('1 changed', { exact: true }))

  // Without a choice the page asks for one.
  await page.goto(`/instance/${instance.id}/history/compare`)
  await sees(page.getByRole('combobox', { name: 'To' }).getByText('Choose...'))
  await expect.poll(() => page.getByText('This could not be loaded').count()).toBe(0)
})

test('From the history an earlier version is restored, and the addresses of the former lists lead to it', async () => {
  const { page } = visitor
  await page.goto(`/instance/${instance.id}/deployments`)
  await sees(rows().filter({ hasText: 'Rollback to “Before Easter”' }))
  expect(new URL(page.url()).pathname).toBe(`/instance/${instance.id}/history`)
  const tab = page.getByRole('navigation', { name: 'Instance' }).getByRole('link', { name: 'History', exact: true })
  // The pages of what is in the list belong to its tab.
  for (const entry of ['Rollback to “Before Easter”', 'changed']) {
    await rows().filter({ hasText: entry }).first().getByRole('link').first().click()
    await page.waitForURL(/\/(deployments|versions)\/\w+$/)
    await expect.poll(() => tab.getAttribute('aria-current')).toBe('page')
    await tab.click()
  }
  await page.goto(`/instance/${instance.id}/versions`)
  await sees(rows().filter({ hasText: 'Snapshot “Before Easter”' }))
  const hot = rows().filter({ hasText: 'changed' }).filter({ hasNotText: 'current' }).first()
  await hot.getByRole('button', { name: /^Actions for/ }).click()
  await page.getByRole('menuitem', { name: 'Restore' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click()
  await sees(rows().filter({ hasText: 'Restore of the version' }).getByText('current'))
})
