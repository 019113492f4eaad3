import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { connect } from 'node:tls'
import { describe, expect, test } from 'vitest'
import { healthOf, issuedAt, openAcme, orderDue, platformWith, shownAt } from './acme.world.ts'
import { freePort, instanceCalls, testClock, type TestServer, until } from './index.ts'
import { hasPebble } from './pebble.ts'

const dayMs = 86_400_000

async function workshop(server: TestServer) {
  const { owner, team } = await server.build.platform()
  const application = await server.build.application(owner, team)
  return instanceCalls(() => ({ server, owner, application }))
}

async function get(port: number, host: string, path: string) {
  const call = request({ host: '127.0.0.1', port, path, headers: { host }, agent: false })
  const [answer] = (await once(call.end(), 'response')) as [IncomingMessage]
  let text = ''
  for await (const part of answer) text += String(part)
  return { status: answer.statusCode, text }
}

describe.runIf(hasPebble)('certificates by ACME', () => {
  test('the console gets a certificate of the ACME server, and a restart orders no other', async () => {
    const world = await openAcme()
    const first = await issuedAt(world, 'forge.test')
    expect(first.names).toBe('DNS:forge.test')
    expect(await healthOf(world.server, 'Certificate')).toMatchObject({ state: 'ok' })
    expect(await healthOf(world.server)).toMatchObject({
      state: 'ok',
      seen: '1 certificate was issued, and none has failed.',
    })
    await world.server.stop()
    await platformWith({ ...world, config: world.server.config })
    expect((await shownAt(world.port, 'forge.test')).fingerprint).toBe(first.fingerprint)
    expect(world.pebble.counts().orders).toBe(1)
  })

  test('an instance gets a certificate of its own when it is first asked for, and a name that nobody made gets none', async () => {
    const world = await openAcme()
    await issuedAt(world, 'forge.test')
    const { running } = await workshop(world.server)
    await running('oven')
    const root = await world.pebble.root()
    // The first client waits for it; many at once make one order.
    const seen = await Promise.all([1, 2, 3].map(() => shownAt(world.port, 'oven.apps.test', root)))
    for (const one of seen) expect(one).toMatchObject({ names: 'DNS:oven.apps.test', isTrusted: true })
    expect(world.pebble.counts().orders).toBe(2)
    for (const name of ['nobody.apps.test', 'a.oven.apps.test', 'apps.test', 'evil.test', 'ovenapps.test'])
      expect(await shownAt(world.port, name, root)).toMatchObject({ names: 'DNS:forge.test' })
    expect(world.pebble.counts().orders).toBe(2)
    // Each name of its own is enough: no wildcard is missed.
    expect(await healthOf(world.server, 'Certificate')).toMatchObject({ state: 'ok' })
  })

  test.each([
    ['30 days before the end', 90, 59, 2],
    ['when a third of a short life is left', 6, 3, 2],
  ])('a certificate is renewed %s, and open connections go on', async (_when, days, early, late) => {
    const clock = testClock()
    const world = await openAcme({ clock, days })
    const first = await issuedAt(world, 'forge.test')
    const open = connect({ host: '127.0.0.1', port: world.port, servername: 'forge.test', rejectUnauthorized: false })
    await once(open, 'secureConnect')
    clock.turn(early * dayMs)
    await orderDue(world.server)
    await world.server.app.certificates!.reload()
    expect((await shownAt(world.port, 'forge.test')).fingerprint).toBe(first.fingerprint)
    clock.turn(late * dayMs)
    await orderDue(world.server)
    const second = await until(
      () => shownAt(world.port, 'forge.test'),
      ({ fingerprint }) => fingerprint !== first.fingerprint,
    )
    expect(second.names).toBe('DNS:forge.test')
    expect(world.pebble.counts().orders).toBe(2)
    open.write('GET /livez HTTP/1.1\r\nHost: forge.test\r\n\r\n')
    expect(String((await once(open, 'data'))[0])).toMatch(/^HTTP\/1\.1 200/)
    open.destroy()
  })

  test('the name of a deleted instance is not renewed', async () => {
    const clock = testClock()
    const world = await openAcme({ clock })
    await issuedAt(world, 'forge.test')
    const { running, raw } = await workshop(world.server)
    const { id } = await running('oven')
    expect((await shownAt(world.port, 'oven.apps.test')).names).toBe('DNS:oven.apps.test')
    expect((await raw('DELETE', `/${id}`)).status).toBe(200)
    clock.turn(61 * dayMs)
    await orderDue(world.server)
    await until(
      () => shownAt(world.port, 'oven.apps.test'),
      ({ names }) => names === 'DNS:forge.test',
    )
    await until(
      async () => world.pebble.counts().orders,
      (orders) => orders === 3,
    )
  })

  test('a proxy may bring the questions of the ACME server to the plain port, also for an instance', async () => {
    const httpPort = await freePort()
    const world = await openAcme({ httpPort, config: { port: httpPort } })
    await issuedAt(world, 'forge.test')
    const { running, script } = await workshop(world.server)
    const { id } = await running('oven')
    expect((await issuedAt(world, 'oven.apps.test')).names).toBe('DNS:oven.apps.test')
    // A challenge of the instance itself still reaches it.
    script().onRequest(id, (_request, response) => response.end('answer of the oven'))
    const path = '/.well-known/acme-challenge/of-the-oven'
    expect(await get(httpPort, `oven.apps.test:${world.port}`, path)).toEqual({
      status: 200,
      text: 'answer of the oven',
    })
    expect((await get(world.redirectPort, 'forge.test', path)).status).toBe(307)
  })

  test('keys are nowhere in clear', async () => {
    const world = await openAcme()
    await issuedAt(world, 'forge.test')
    const { read } = world.server.app.database
    const rows = [
      ...(await read.selectFrom('acme_accounts').selectAll().execute()),
      ...(await read.selectFrom('acme_certificates').selectAll().execute()),
    ]
    expect(rows.map(({ key_sealed }) => key_sealed)).toEqual([
      expect.stringMatching(/^v2/),
      expect.stringMatching(/^v2/),
    ])
    expect(JSON.stringify(rows)).not.toContain('PRIVATE KEY')
  })
})
