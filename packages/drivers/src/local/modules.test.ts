import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import type { Progress } from '../driver.ts'
import { askInstance, bearer, signIn } from '../testing/instance.http.ts'
import { openLocal, pidOf, runs, versions } from '../testing/local.harness.ts'
import { until } from '../testing/until.ts'

/** Small, and without dependencies. */
const name = 'node-red-node-random'
const modules = { [name]: '~0.4.1' }

async function begin() {
  const local = await openLocal()
  onTestFinished(() => local.close())
  return local
}

/** Answers /random with a number from 7 to 7, made by a node of the module. The other node has a password. */
const flows = [
  { id: 'tab', type: 'tab', label: 'Flow' },
  { id: 'in', z: 'tab', type: 'http in', url: '/random', method: 'get', wires: [['dice']] },
  { id: 'dice', z: 'tab', type: 'random', low: '7', high: '7', inte: 'true', property: 'payload', wires: [['text']] },
  { id: 'text', z: 'tab', type: 'function', func: 'msg.payload = String(msg.payload); return msg', wires: [['out']] },
  { id: 'out', z: 'tab', type: 'http response', wires: [] },
  { id: 'ask', z: 'tab', type: 'http request', method: 'GET', url: '', authType: 'basic', wires: [[]] },
]

test('an instance moves from Node-RED 4.1 to 5.0 and back with its flows, credentials and modules', async () => {
  const { driver, spec, platform, home } = await begin()
  const one = { ...spec(versions[0]), modules }
  const seven = async () => {
    // A request that comes while flows are replaced is never answered.
    const answer = askInstance(driver.endpoint(one.id)!, '/random').then(({ text }) => text)
    return (await Promise.race([answer.catch(() => undefined), delay(500)])) === '7'
  }
  const start = async (nodered: string) => {
    await driver.start({ ...one, stack: { ...one.stack, nodered } })
    await runs(driver, one.id)
    expect((await driver.status(one.id)).versions?.['node-red']).toBe(nodered)
  }
  await start(versions[0])
  const endpoint = driver.endpoint(one.id)!
  const body = [...flows.slice(0, -1), { ...flows.at(-1), credentials: { user: 'ada', password: 'lovelace' } }]
  const deployed = await askInstance(endpoint, '/flows', { body, headers: bearer(await signIn(endpoint)) })
  expect(deployed.status).toBe(204)
  await until('the module answers', seven)
  const stored = () => ['flows', 'credentials'].map((kind) => JSON.stringify(platform.stored.get(`${one.id}/${kind}`)))
  const before = stored()
  expect(before[1]).toContain('$')
  for (const nodered of [versions[1], versions[0]]) {
    await driver.stop(one.id)
    await start(nodered)
    await until(`the module answers on ${nodered}`, seven)
    expect(stored()).toEqual(before)
    const kept = await askInstance(driver.endpoint(one.id)!, '/credentials/http-request/ask', {
      headers: bearer(await signIn(driver.endpoint(one.id)!)),
    })
    expect(JSON.parse(kept.text)).toMatchObject({ user: 'ada', has_password: true })
  }
  // The same versions for both, and one installation for each.
  expect(readdirSync(join(home, 'modules', 'locks')).length).toBe(1)
  expect(readdirSync(join(home, 'modules', 'sets')).length).toBe(2)
})

test('what the palette manager installs beside the list survives a restart and a change of the list', async () => {
  const { driver, spec, home } = await begin()
  const one = { ...spec(), modules }
  const restart = async (list: Record<string, string>) => {
    await driver.stop(one.id)
    await driver.start({ ...one, modules: list })
    await runs(driver, one.id)
  }
  const loaded = async () => {
    const endpoint = driver.endpoint(one.id)!
    const headers = { ...bearer(await signIn(endpoint)), accept: 'application/json' }
    const nodes = JSON.parse((await askInstance(endpoint, '/nodes', { headers })).text) as { module: string }[]
    return [name, 'node-red-node-smooth'].map((wanted) => nodes.some(({ module }) => module === wanted))
  }
  await driver.start(one)
  await runs(driver, one.id)
  const file = join(home, 'instances', one.id, 'user', 'node_modules', name, 'package.json')
  const { ino } = statSync(file)
  const endpoint = driver.endpoint(one.id)!
  const installed = await askInstance(endpoint, '/nodes', {
    body: { module: 'node-red-node-smooth', version: '0.1.2' },
    headers: bearer(await signIn(endpoint)),
  })
  expect(installed.status).toBe(200)
  expect(await loaded()).toEqual([true, true])
  await restart(modules)
  expect(await loaded()).toEqual([true, true])
  expect(statSync(file).ino).toBe(ino)
  await restart({})
  expect(await loaded()).toEqual([false, true])
})

test('modules are fetched while the instance runs, and a failure leaves it running with what it has', async () => {
  const { driver, spec, home } = await begin()
  const one = spec()
  await driver.start(one)
  await runs(driver, one.id)
  const pid = await pidOf(home, one.id)
  const folder = join(home, 'instances', one.id, 'user', 'node_modules')
  await expect(driver.prepareModules({ ...one, modules: { [name]: '^99.0.0' } }, () => {})).rejects.toMatchObject({
    name: 'DriverError',
    code: 'module_version',
    message: `The npm registry has no version that fits ${name}@^99.0.0`,
  })
  const said: Progress[] = []
  await driver.prepareModules({ ...one, modules }, (progress) => said.push(progress))
  expect(said).toContainEqual({ text: 'Installing the modules', done: 1, total: 1 })
  expect([existsSync(folder), await pidOf(home, one.id), (await driver.status(one.id)).state]).toEqual([
    false,
    pid,
    'running',
  ])
  await driver.stop(one.id)
  await driver.start({ ...one, modules })
  expect(JSON.parse(readFileSync(join(folder, name, 'package.json'), 'utf8'))).toMatchObject({ name })
})
