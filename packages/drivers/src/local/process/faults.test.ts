import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { describeFaults } from '../../conformance.faults.ts'
import { codeFlow } from '../../testing/flows.ts'
import { askInstance, bearer, signIn } from '../../testing/instance.http.ts'
import { openLocal, pidOf, versions } from '../../testing/local.harness.ts'
import { until } from '../../testing/until.ts'
import { argumentsOf, identityOf } from './identity.ts'

describeFaults('local', async () => {
  const local = await openLocal()
  let made = 0
  return {
    ...local,
    // Each version in turn, so that each test but those of one instance has both.
    spec: () => local.spec(versions[made++ % versions.length]),
    reopen: local.open,
    async presence(id) {
      const pid = await pidOf(local.home, id)
      return () => identityOf(pid) !== undefined
    },
    programs: (start) =>
      readdirSync('/proc').filter((pid) => argumentsOf(Number(pid)).join(' ').startsWith(start)).length,
    logBytes(id) {
      const folder = join(local.home, 'instances', id, 'logs')
      return readdirSync(folder).reduce((sum, name) => sum + readFileSync(join(folder, name)).length, 0)
    },
  }
})

test.each(versions)('flows of Node-RED %s stand still in safe mode, and a deploy ends it for good', async (version) => {
  const local = await openLocal()
  onTestFinished(() => local.close())
  const { home, driver, putFlows, spec } = local
  const greeting = codeFlow('msg.payload = "well"; return msg')
  const one = spec(version)
  putFlows(one.id, greeting)
  await driver.start({ ...one, again: true, safe: true })
  await until('it is in safe mode', async () => (await driver.status(one.id)).state === 'safe', 10_000)
  const endpoint = driver.endpoint(one.id)!
  expect((await askInstance(endpoint, '/')).status).toBe(200)
  expect((await askInstance(endpoint, '/do')).status).toBe(404)
  const headers = bearer(await signIn(endpoint))
  expect((await askInstance(endpoint, '/flows', { body: greeting, headers })).status).toBe(204)
  await until('it runs', async () => (await driver.status(one.id)).state === 'running')
  expect((await askInstance(endpoint, '/do')).text).toBe('well')
  process.kill(await pidOf(home, one.id), 'SIGKILL')
  const { safe } = await until('it has crashed', async () => (await driver.status(one.id)).restart)
  expect(safe).toBe(false)
})
