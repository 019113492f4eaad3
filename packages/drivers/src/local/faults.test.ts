import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { codeFlow, nodeFlow, shellFlow } from '../testing/flows.ts'
import { askInstance, bearer, signIn } from '../testing/instance.http.ts'
import { openLocal, pidOf, runs, versions } from '../testing/local.harness.ts'
import { until } from '../testing/until.ts'
import { argumentsOf, identityOf } from './identity.ts'

async function begin() {
  const local = await openLocal()
  onTestFinished(() => local.close())
  const { driver, platform, spec } = local
  return {
    ...local,
    /** Starts an instance with these flows and waits until it runs. */
    async runFlows(flows: object[], memory = 256, nodered: string = versions[1]) {
      const one = { ...spec(nodered), stack: { nodered, memory } }
      platform.stored.set(`${one.id}/flows`, flows)
      await driver.start(one)
      await runs(driver, one.id)
      return { ...one, endpoint: driver.endpoint(one.id)! }
    },
  }
}

const greeting = codeFlow('msg.payload = "well"; return msg')
const running = (start: string) =>
  readdirSync('/proc').filter((pid) => argumentsOf(Number(pid)).join(' ').startsWith(start)).length

test('a crash loop is counted over platforms with growing delays, and ends in safe mode', async () => {
  const local = await begin()
  const { home, open } = local
  const { endpoint: _, ...one } = await local.runFlows(greeting)
  let { driver } = local
  const waits: number[] = []
  for (let crashes = 1; crashes <= 5; crashes += 1) {
    const killedAt = Date.now()
    process.kill(await pidOf(home, one.id), 'SIGKILL')
    const crashed = await until('it has crashed', async () => {
      const status = await driver.status(one.id)
      return status.state === 'crashed' && status
    })
    expect(crashed.restart).toMatchObject({ crashes, safe: crashes === 5 })
    waits.push(Math.round((crashed.restart!.at - killedAt) / 1000))
    // Another platform, which knows only what is on record.
    await driver.close()
    driver = open()
    await driver.adopt()
    expect(await driver.status(one.id)).toEqual(crashed)
    await driver.start({ ...one, again: true, safe: crashed.restart!.safe })
  }
  const spread = [0, 10, 20, 40, 80].map((seconds) => [seconds * 0.75 - 1, seconds * 1.25 + 2])
  for (const [n, [least, most]] of spread.entries()) {
    expect(waits[n]).toBeGreaterThanOrEqual(least!)
    expect(waits[n]).toBeLessThanOrEqual(most!)
  }
  const { reason } = await until(
    'it is in safe mode',
    async () => {
      const status = await driver.status(one.id)
      return status.state === 'safe' && status
    },
    10_000,
  )
  expect(reason).toContain('crashed 5 times in a row (Node-RED ended unexpectedly)')
})

test.each(versions)('flows of Node-RED %s stand still in safe mode, and a deploy ends it for good', async (version) => {
  const { home, driver, furnish, spec } = await begin()
  const one = spec(version)
  furnish(one.id, greeting)
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

test('a flow that never yields is noticed within 30 s, told with a reason, and ended by force, as is one that will not end; others go on', {
  timeout: 60_000,
}, async () => {
  const { home, driver, runFlows } = await begin()
  const well = await runFlows(greeting)
  const stubborn = await runFlows(nodeFlow(`process.exit = () => {}; process.on('SIGTERM', () => {}); return msg`))
  expect((await askInstance(stubborn.endpoint, '/do')).status).toBe(200)
  const stubbornPid = await pidOf(home, stubborn.id)
  const ended = driver.stop(stubborn.id)
  const { id, endpoint } = await runFlows(codeFlow('for (;;) {}'))
  const pid = await pidOf(home, id)
  const begun = Date.now()
  void askInstance(endpoint, '/do').catch(() => {})
  const hung = await until(
    'it is noticed',
    async () => {
      const status = await driver.status(id)
      return status.state === 'unknown' && status
    },
    30_000,
  )
  expect(Date.now() - begun).toBeLessThan(30_000)
  expect(hung.reason).toContain('endless loop')
  expect((await driver.usage(id))?.hungSince).toBeGreaterThan(begun - 10_000)
  expect((await askInstance(well.endpoint, '/do')).text).toBe('well')
  const asked = Date.now()
  await driver.stop(id)
  expect(Date.now() - asked).toBeLessThan(8_000)
  expect(identityOf(pid)).toBeUndefined()
  await ended
  expect(identityOf(stubbornPid)).toBeUndefined()
})

test('a flow that starts programs without end is stopped by the limit, and all of them are gone with the instance', async ({
  annotate,
}) => {
  const { driver, runFlows } = await begin()
  if (!driver.capabilities.limitsProcesses) return void (await annotate(driver.capabilities.gaps.join(' ')))
  const well = await runFlows(greeting)
  // Bounded by itself as well, should the limit not hold.
  const { id, endpoint } = await runFlows(shellFlow('for n in $(seq 400); do sleep 61.125 & done'))
  void askInstance(endpoint, '/do').catch(() => {})
  await until('the limit is reached', () => running('sleep 61.125') > 200)
  expect(running('sleep 61.125')).toBeLessThan(256)
  expect((await askInstance(well.endpoint, '/do')).text).toBe('well')
  await driver.stop(id)
  expect(running('sleep 61.125')).toBe(0)
  expect((await askInstance(well.endpoint, '/do')).text).toBe('well')
})

test.for(['stop', 'crash'])(
  'programs that left the session, cleared their environment and ignore SIGTERM are gone after a %s',
  async (how, context) => {
    const { home, driver, runFlows } = await begin()
    const { endsDescendants, gaps } = driver.capabilities
    if (!endsDescendants) return void (await context.annotate(gaps.join(' ')))
    const program = `sleep 61.${how === 'stop' ? 5 : 75}`
    const { id, endpoint } = await runFlows(
      shellFlow(`env -i setsid sh -c "trap '' TERM HUP; /bin/${program} & /bin/${program}" > /dev/null 2>&1 &`),
    )
    await askInstance(endpoint, '/do')
    await until('they run', () => running(`/bin/${program}`) === 2)
    if (how === 'stop') await driver.stop(id)
    else {
      process.kill(await pidOf(home, id), 'SIGKILL')
      await until('it has crashed', async () => (await driver.status(id)).state === 'crashed')
    }
    expect(running(`/bin/${program}`)).toBe(0)
  },
)

test('a flood of log lines stays within its bounds, says what is missing, and leaves others alone', async () => {
  const { home, driver, runFlows } = await begin()
  const well = await runFlows(greeting)
  const { id, endpoint } = await runFlows(
    codeFlow(`const line = 'x'.repeat(10_000), end = Date.now() + 2_000
      const flood = () => { for (let n = 0; n < 200; n += 1) node.warn(line); if (Date.now() < end) setTimeout(flood, 1) }
      flood(); return msg`),
  )
  await askInstance(endpoint, '/do')
  const folder = join(home, 'instances', id, 'logs')
  const bytes = () => readdirSync(folder).reduce((sum, name) => sum + readFileSync(join(folder, name)).length, 0)
  const entry = await until('it is said', async () =>
    (await driver.logs(id, { limit: 1000 })).find(({ msg }) => msg.includes('lines left out')),
  )
  expect(entry.level).toBe('warn')
  expect(bytes()).toBeLessThan(17 * 1024 * 1024)
  expect((await askInstance(well.endpoint, '/do')).text).toBe('well')
})
