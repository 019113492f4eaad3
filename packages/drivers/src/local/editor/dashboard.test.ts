import { expect, onTestFinished, test } from 'vitest'
import { dashboardFlow, dashboardModules as modules } from '../../testing/dashboards.ts'
import { askInstance, bearer, signIn } from '../../testing/instance.http.ts'
import { openLocal, runs } from '../../testing/local.harness.ts'
import { until } from '../../testing/until.ts'

test('both dashboards install from the registry and open, the first at the path that is set, where people may install nothing', {
  timeout: 240_000,
}, async () => {
  const { platform, driver, putFlows, spec, close } = await openLocal()
  onTestFinished(close)
  platform.behaviour.settings = { dashboardUI: '/board', palette: { allowInstall: false } }
  const wanted = { ...spec(), modules }
  putFlows(wanted.id, dashboardFlow())
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
