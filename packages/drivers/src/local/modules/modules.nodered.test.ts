import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { diceFlow, diceModule as modules } from '../../testing/flows.ts'
import { askInstance, bearer, signIn } from '../../testing/instance.http.ts'
import { openLocal, runs, versions } from '../../testing/local.harness.ts'
import { tryModule } from '../../testing/popular.trial.ts'
import { until } from '../../testing/until.ts'

const name = 'node-red-node-random'

async function begin() {
  const local = await openLocal()
  onTestFinished(() => local.close())
  return local
}

/** The other node has a password. */
const flows = [
  ...diceFlow(),
  { id: 'ask', z: 'tab', type: 'http request', method: 'GET', url: '', authType: 'basic', wires: [[]] },
]

test('an instance moves from Node-RED 4.1 to 5.0 and back with its flows, credentials and modules', async () => {
  const { driver, spec, platform, home } = await begin()
  const one = { ...spec(versions[0]), modules }
  const seven = async () => {
    // A request that comes while flows are replaced is never answered.
    const answer = askInstance(driver.endpoint(one.id)!, '/do').then(({ text }) => text)
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
  // The same versions for both, found by the range and by what it means, and one installation for each.
  expect(readdirSync(join(home, 'modules', 'locks')).length).toBe(2)
  expect(readdirSync(join(home, 'modules', 'sets')).length).toBe(2)
})

test('what the palette manager installs beside the list is noted, and survives a restart and a change of the list', async () => {
  const { driver, spec, home, platform } = await begin()
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
  const { ino, mode, uid } = statSync(file)
  // Shared with other instances, so not this one's to change; the folder is, or npm could not replace it.
  expect([mode & 0o222, uid]).toEqual([0, process.getuid?.()])
  expect(statSync(join(file, '..')).uid).toBe(statSync(join(home, 'instances', one.id, 'user')).uid)
  const endpoint = driver.endpoint(one.id)!
  const installed = await askInstance(endpoint, '/nodes', {
    body: { module: 'node-red-node-smooth', version: '0.1.2' },
    headers: bearer(await signIn(endpoint)),
  })
  expect(installed.status).toBe(200)
  // The modules it reports to the platform, which become modules of the instance: of copies and of other stacks as
  // well.
  const noted = () => (platform.stored.get(`${one.id}/settings`) as { nodes?: Record<string, unknown> }).nodes
  const smooth = await until('it is noted', () => noted()?.['node-red-node-smooth'])
  expect(smooth).toMatchObject({ version: '0.1.2', local: true })
  expect(await loaded()).toEqual([true, true])
  await restart(modules)
  expect(await loaded()).toEqual([true, true])
  expect(statSync(file).ino).toBe(ino)
  await restart({})
  expect(await loaded()).toEqual([false, true])
})

test.each(versions)(
  'the palette manager of Node-RED %s installs node-red-node-email, which starts again and in a copy',
  async (nodered) => {
    const outcome = await tryModule(await begin(), nodered, 'node-red-node-email')
    expect(outcome).toEqual({ version: expect.stringMatching(/^\d+\./), said: 'works' })
  },
)
