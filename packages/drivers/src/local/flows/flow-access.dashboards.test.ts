import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Endpoint, InstanceSpec } from '../../driver.ts'
import { dashboardFlow, dashboardModules as modules, dashboards } from '../../testing/dashboards.ts'
import { askInstance, signInToFlows } from '../../testing/instance.http.ts'
import { openLocal, runs, versions } from '../../testing/local.harness.ts'
import { connect, poll } from '../../testing/socket.io.ts'
import { until } from '../../testing/until.ts'

/** The bcrypt hash of "sourdough". */
const hash = '$2b$04$4sx.ew.7yxng6VR4QRkQPOjsDCq1cqq2VXQkSfVNivL.Eb8bjf/ou'
const basic = { authorization: `Basic ${Buffer.from('baker:sourdough').toString('base64')}` }

interface Protection {
  auth: object
  enter(endpoint: Endpoint): Promise<Record<string, string>>
}
const protections: Record<string, Protection> = {
  'a password': {
    auth: { type: 'basic', user: 'baker', pass: hash },
    enter: async () => basic,
  },
  'the sign-in of the platform': {
    auth: { type: 'flowforge-user' },
    enter: async (endpoint) => ({ cookie: await signInToFlows(endpoint, '/pressed') }),
  },
}

let local: Awaited<ReturnType<typeof openLocal>>
beforeAll(async () => {
  local = await openLocal()
  // Each set of modules is installed once and shared by the instances of these tests.
  await Promise.all(
    versions.map((version) => local.driver.prepareModules({ ...local.spec(version), modules }, () => undefined)),
  )
}, 300_000)
afterAll(() => local.close(), 300_000)

/** Starts an instance with both dashboards, as one process or two, and returns where each of these answers. */
async function start(version: string, auth: object, processes: number): Promise<Endpoint[]> {
  const { driver, platform, spec, putFlows } = local
  Object.assign(platform.behaviour, { settings: { httpNodeAuth: auth }, replicas: processes })
  const one: InstanceSpec = { ...spec(version), modules }
  onTestFinished(() => driver.remove(one.id))
  putFlows(one.id, dashboardFlow())
  if (processes === 1) await driver.start(one)
  else for (const slot of [0, 1] as const) await driver.pair!.start(one, slot)
  await runs(driver, one.id)
  return until('all processes serve', () => {
    const serving = driver.pair!.serving(one.id)
    return serving.length === processes && serving.map(({ endpoint }) => endpoint)
  })
}

const transports = { 'long polling': poll, WebSocket: connect }

/** Reads and presses without access and with it, each way that there is. */
async function isClosedToOthers(endpoint: Endpoint, headers: Record<string, string>): Promise<void> {
  const pressed = async () =>
    JSON.parse((await askInstance(endpoint, '/pressed', { headers })).text) as Record<string, number>
  let times = 0
  for (const [transport, open] of Object.entries(transports)) {
    times += 1
    for (const { name, path, greeting, press } of dashboards) {
      const what = `${name} by ${transport}`
      expect([what, await open(endpoint, path, {})]).toEqual([what, 401])
      const member = await open(endpoint, path, headers)
      if (typeof member === 'number') throw new Error(`${what}: ${member} for a member`)
      await member.hears(greeting)
      expect([what, await member.stolen({}, ...press)]).toEqual([what, 401])
      expect((await pressed())[name] ?? 0).toBe(times - 1)
      await member.tells(...press)
      await until(`the button of ${what}`, async () => (await pressed())[name] === times)
      member.close()
    }
  }
}

describe.each(versions)('both dashboards in Node-RED %s', (version) => {
  describe.each(Object.entries(protections))('protected by %s', (_name, { auth, enter }) => {
    test.each([1, 2])('are for those with access alone, in each of %d processes', async (processes) => {
      const endpoints = await start(version, auth, processes)
      for (const endpoint of endpoints) await isClosedToOthers(endpoint, await enter(endpoint))
      expect((await askInstance(endpoints[0]!, '/auth/login')).status).toBe(processes === 1 ? 200 : 401)
    })
  })
})
