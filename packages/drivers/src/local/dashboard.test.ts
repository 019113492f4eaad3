import { expect, onTestFinished, test } from 'vitest'
import { askInstance, bearer, signIn } from '../testing/instance.http.ts'
import { openLocal, runs } from '../testing/local.harness.ts'
import { until } from '../testing/until.ts'

const modules = { 'node-red-dashboard': '3.6.6', '@flowfuse/node-red-dashboard': '1.31.0' }
const page = { z: '', order: 1, width: '6' }
const classic = [
  { id: 'c1', type: 'ui_tab', name: 'Ovens', icon: 'dashboard' },
  { ...page, id: 'c2', type: 'ui_group', name: 'First', tab: 'c1' },
  {
    ...page,
    id: 'c3',
    z: 'tab',
    type: 'ui_text',
    group: 'c2',
    label: 'Heat',
    format: '{{msg.payload}}',
    layout: 'row',
  },
]
const second = [
  { id: 'd1', type: 'ui-base', name: 'Bakery', path: '/dashboard', includeClientData: true, acceptsClientConfig: [] },
  { id: 'd2', type: 'ui-theme', name: 'Plain', colors: {}, sizes: {} },
  { id: 'd3', type: 'ui-page', name: 'Ovens', ui: 'd1', path: '/ovens', icon: 'home', layout: 'grid', theme: 'd2' },
  { ...page, id: 'd4', type: 'ui-group', name: 'First', page: 'd3', height: '1' },
  { ...page, id: 'd5', z: 'tab', type: 'ui-text', group: 'd4', name: 'Heat', label: 'Heat', wires: [] },
]

test('both dashboards install from the registry and open, the first at the path that is set, where people may install nothing', {
  timeout: 240_000,
}, async () => {
  const { platform, driver, furnish, spec, close } = await openLocal()
  onTestFinished(close)
  platform.behaviour.settings = { dashboardUI: '/board', palette: { allowInstall: false } }
  const wanted = { ...spec(), modules }
  furnish(wanted.id, [{ id: 'tab', type: 'tab', label: 'Flow' }, ...classic, ...second])
  await driver.prepareModules(wanted, () => undefined)
  await driver.start(wanted)
  await runs(driver, wanted.id)
  const endpoint = driver.endpoint(wanted.id)!
  for (const [path, mark] of [
    ['/board/', /ng-app/],
    ['/dashboard/ovens', /<title>FlowFuse Dashboard/],
  ] as const) {
    await until(`${path} opens`, async () => {
      const { status, text } = await askInstance(endpoint, path)
      return status === 200 && mark.test(text)
    })
  }
  const headers = bearer(await signIn(endpoint))
  const body = { module: 'node-red-node-random', version: '0.4.1' }
  expect((await askInstance(endpoint, '/nodes', { headers })).status).toBe(200)
  expect((await askInstance(endpoint, '/nodes', { body, headers })).status).toBe(404)
})
