import { describe, expect, onTestFinished, test } from 'vitest'
import { askInstance, bearer, signIn } from '../../testing/instance.http.ts'
import { openLocal, runs, versionsFor } from '../../testing/local.harness.ts'
import { until } from '../../testing/until.ts'

async function begin() {
  const local = await openLocal()
  onTestFinished(() => local.close())
  return local
}

const hello = (text: string) => [
  { id: 'tab', type: 'tab', label: 'Flow' },
  { id: 'in', z: 'tab', type: 'http in', url: '/hello', method: 'get', wires: [['fn']] },
  { id: 'fn', z: 'tab', type: 'function', func: text, outputs: 1, wires: [['out']] },
  { id: 'out', z: 'tab', type: 'http response', wires: [] },
]

describe.each(versionsFor(import.meta.filename))('editor of Node-RED %s', (version) => {
  test('people sign in through the platform, deploy, and the flow answers at the root of the instance', async () => {
    const { platform, run } = await begin()
    platform.behaviour.env = { GREETING: 'good morning' }
    const { id, endpoint } = await run(version)
    expect((await askInstance(endpoint, '/flows')).status).toBe(401)
    expect(JSON.parse((await askInstance(endpoint, '/auth/login')).text)).toMatchObject({
      type: 'strategy',
      autoLogin: true,
    })
    const headers = bearer(await signIn(endpoint))
    const flows = hello('msg.payload = env.get("GREETING"); return msg')
    const deployed = await askInstance(endpoint, '/flows', { body: flows, headers })
    expect(deployed.status).toBe(204)
    const answer = await until('the flow answers', async () => {
      const { status, text } = await askInstance(endpoint, '/hello')
      return status === 200 && text
    })
    expect(answer).toBe('good morning')
    expect(platform.stored.get(`${id}/flows`)).toEqual(flows)
    const entry = await until('the deploy is reported', () => platform.audit.find(({ event }) => event === 'flows.set'))
    // The token of the platform shows that it was her.
    expect(entry).toMatchObject({
      instance: id,
      user: 'user-of-alice',
      editorToken: 'ffu_access',
      timestamp: expect.any(Number),
    })
    expect(entry).not.toHaveProperty('level')
    expect(platform.audit.filter(({ event }) => event.endsWith('.get') || event.startsWith('comms'))).toEqual([])
  })

  test('flows of up to 32 MB can be deployed, and larger ones are refused with a sentence', async () => {
    const { platform, run } = await begin()
    const { id, endpoint } = await run(version)
    const headers = bearer(await signIn(endpoint))
    const flowsOf = (megabytes: number) => [
      { id: 'tab', type: 'tab', label: 'Flow', info: 'x'.repeat(megabytes * 1024 ** 2) },
    ]
    expect((await askInstance(endpoint, '/flows', { body: flowsOf(31), headers })).status).toBe(204)
    expect(JSON.stringify(platform.stored.get(`${id}/flows`)).length).toBeGreaterThan(31 * 1024 ** 2)
    const refused = await askInstance(endpoint, '/flows', { body: flowsOf(33), headers })
    expect([refused.status, JSON.parse(refused.text)]).toEqual([
      413,
      { code: 'too_large', message: 'At most 32 MB can be sent at once. Nothing was saved.' },
    ])
  })

  test('who may only read sees the flows and cannot deploy', async () => {
    const { platform, run } = await begin()
    platform.behaviour.scope = 'read'
    const { endpoint } = await run(version)
    const headers = bearer(await signIn(endpoint))
    expect((await askInstance(endpoint, '/flows', { headers })).status).toBe(200)
    expect((await askInstance(endpoint, '/flows', { body: hello('return msg'), headers })).status).toBe(401)
  })

  test('a session of the editor ends by itself after seven days', async () => {
    const { platform, run } = await begin()
    const { id, endpoint } = await run(version)
    const before = Date.now()
    const token = await signIn(endpoint)
    const sessions = platform.stored.get(`${id}/sessions`) as Record<string, { expires: number }>
    const lifeMs = sessions[token]!.expires - before
    expect(Math.round(lifeMs / 1000 / 60)).toBe(7 * 24 * 60)
  })

  test('a session lives as long as the platform renews it, and can be ended from there', async () => {
    const { platform, driver, run } = await begin()
    const { id, endpoint } = await run(version)
    const isIn = async (token: string) =>
      (await askInstance(endpoint, '/settings', { headers: bearer(token) })).status === 200
    platform.behaviour.expiresIn = 1
    const renewed = await signIn(endpoint)
    await until('it is renewed', () => platform.behaviour.refreshed > 1)
    expect(await isIn(renewed)).toBe(true)
    platform.behaviour.refuseRefresh = true
    await until('it ends', async () => !(await isIn(renewed)))

    platform.behaviour.expiresIn = 1800
    for (const tokenOf of [(session: string) => session, () => 'ffu_access']) {
      const session = await signIn(endpoint)
      expect(await isIn(session)).toBe(true)
      await driver.revokeUserToken(id, tokenOf(session))
      expect(await isIn(session)).toBe(false)
    }
  })
})

describe.each(versionsFor(import.meta.filename))('an editor session and a restart of Node-RED %s', (version) => {
  const started = async () => {
    const local = await begin()
    const one = local.spec(version)
    await local.driver.start(one)
    await runs(local.driver, one.id)
    const endpoint = () => local.driver.endpoint(one.id)!
    const isIn = async (token: string) =>
      (await askInstance(endpoint(), '/settings', { headers: bearer(token) })).status === 200
    const restart = async () => {
      await local.driver.stop(one.id)
      await local.driver.start(one)
      await runs(local.driver, one.id)
    }
    return { ...local, id: one.id, endpoint, isIn, restart }
  }

  test('the session goes on when the platform says so, with what the role allows', async () => {
    const { platform, endpoint, isIn, restart } = await started()
    const token = await signIn(endpoint())
    await restart()
    expect(await isIn(token)).toBe(true)
    expect(
      (await askInstance(endpoint(), '/flows', { body: hello('return msg'), headers: bearer(token) })).status,
    ).toBe(204)
    platform.behaviour.refuseResume = true
    await restart()
    expect(await isIn(token)).toBe(false)
  })

  test('with another role than before the session ends', async () => {
    const { platform, endpoint, isIn, restart } = await started()
    const token = await signIn(endpoint())
    platform.behaviour.scope = 'read'
    await restart()
    expect(await isIn(token)).toBe(false)
    expect((await askInstance(endpoint(), '/flows', { body: [], headers: bearer(token) })).status).toBe(401)
    const reader = await signIn(endpoint())
    expect(await isIn(reader)).toBe(true)
  })

  test('a new instance logs no warning, and tells only who is signed in where it belongs', async () => {
    const { driver, id, endpoint, platform } = await started()
    const warnings = (await driver.logs(id, { limit: 100 })).filter(({ level }) => level === 'warn')
    expect(warnings).toEqual([])
    platform.behaviour.environment = { kind: 'production', label: 'Live' }
    expect((await askInstance(endpoint(), '/forge/instance')).status).toBe(401)
    const headers = bearer(await signIn(endpoint()))
    expect(JSON.parse((await askInstance(endpoint(), '/forge/instance', { headers })).text)).toEqual({
      url: `${platform.url}/instance/${id}/overview`,
      log: `${platform.url}/instance/${id}/logs`,
      belongs: 'Bakery / Line',
      environment: { kind: 'production', label: 'Live' },
    })
  })
})

describe('an instance whose platform is away', () => {
  test('keeps a deploy until the platform is back', async () => {
    const { platform, run } = await begin()
    const { id, endpoint } = await run()
    const headers = bearer(await signIn(endpoint))
    await platform.close()
    const deploy = askInstance(endpoint, '/flows', { body: hello('return msg'), headers })
    // It goes on answering meanwhile.
    expect((await askInstance(endpoint, '/settings', { headers })).status).toBe(200)
    await platform.reopen()
    expect((await deploy).status).toBe(204)
    expect(platform.stored.get(`${id}/flows`)).toHaveLength(4)
  })

  test('shows a deploy that the platform refuses as failed', async () => {
    const { platform, run } = await begin()
    const { endpoint } = await run()
    const headers = bearer(await signIn(endpoint))
    platform.behaviour.failWith = 413
    const deploy = await askInstance(endpoint, '/flows', { body: hello('return msg'), headers })
    expect(deploy.status).toBe(413)
    expect(deploy.text).toContain('Refused by the test')
    platform.behaviour.failWith = undefined
  })

  test('does not start when the platform refuses it, and says why', async () => {
    const { platform, driver, spec } = await begin()
    platform.behaviour.failWith = 400
    const one = spec()
    await driver.start(one).catch(() => {})
    await until('it ends', async () => (await driver.logs(one.id, { limit: 1 }))[0]?.level === 'fatal')
    expect((await driver.logs(one.id, { limit: 1 }))[0]?.msg).toContain('Refused by the test')
  })
})
