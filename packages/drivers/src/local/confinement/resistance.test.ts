import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { shellFlow } from '../../testing/flows.ts'
import { askInstance } from '../../testing/instance.http.ts'
import { openLocal, runs } from '../../testing/local.harness.ts'

test('an instance that leaves folders in the place of its socket and deeper than a path is stopped, started and removed', async () => {
  const local = await openLocal()
  onTestFinished(() => local.close())
  const { home, driver, spec } = local
  const one = spec()
  const hostile = `cd ../run && rm http.sock && mkdir -p http.sock/more
    cd ../user && n=$(printf 'd%.0s' $(seq 200)) && for i in $(seq 40); do mkdir $n && cd $n; done; echo done`
  local.putFlows(one.id, shellFlow(hostile))
  await driver.start(one)
  await runs(driver, one.id)
  expect((await askInstance(driver.endpoint(one.id)!, '/do')).text.trim()).toBe('done')
  await driver.stop(one.id)
  expect(await driver.status(one.id)).toEqual({ state: 'stopped' })
  await driver.start(one)
  await runs(driver, one.id)
  await driver.remove(one.id)
  expect(existsSync(join(home, 'instances', one.id))).toBe(false)
})
