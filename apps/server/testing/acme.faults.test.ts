import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { tmpdir } from 'node:os'
import { describe, expect, onTestFinished, test } from 'vitest'
import { acmeSettings, healthOf, issuedAt, openAcme, orderDue, platformWith, shownAt } from './acme.world.ts'
import { createAuthority, freePort, instanceCalls, testClock, type TestServer, until } from './index.ts'
import { hasPebble, startPebble } from './pebble.ts'

const minute = 60_000
const hour = 60 * minute

const failed = (server: TestServer) =>
  until(
    () => healthOf(server),
    (found) => found?.code !== undefined,
    30_000,
  )

/** An ACME server that has reached its rate limit. Each order is counted, and refused until `seconds` have passed. */
async function limited(seconds: number) {
  const authority = createAuthority()
  authority.issue(['localhost'])
  const folder = mkdtempSync(join(tmpdir(), 'forge-acme-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const caFile = join(folder, 'ca.pem')
  writeFileSync(caFile, authority.ca)
  const files = { cert: readFileSync(authority.files.certFile), key: readFileSync(authority.files.keyFile) }
  let orders = 0
  const server = createServer(files, (request, response) => {
    const { port } = server.address() as AddressInfo
    const at = (path: string) => `https://localhost:${port}/${path}`
    const send = (status: number, body: object, headers = {}) =>
      response
        .writeHead(status, { 'content-type': 'application/json', 'replay-nonce': 'nonce', ...headers })
        .end(JSON.stringify(body))
    request.resume()
    if (request.url === '/nonce') return void response.writeHead(200, { 'replay-nonce': 'nonce' }).end()
    if (request.url === '/account') return send(201, { status: 'valid' }, { location: at('account/1') })
    if (request.url === '/order') {
      orders += 1
      const problem = { type: 'urn:ietf:params:acme:error:rateLimited', detail: 'too many certificates already issued' }
      return send(429, problem, { 'retry-after': String(seconds) })
    }
    return send(200, { newNonce: at('nonce'), newAccount: at('account'), newOrder: at('order') })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const directory = `https://localhost:${(server.address() as AddressInfo).port}/directory`
  return { directory, caFile, orders: () => orders }
}

test('after a rate limit no name is ordered until the time that the ACME server gave, also after a restart', async () => {
  const clock = testClock()
  const pebble = await limited(7_200)
  const place = { pebble, port: await freePort(), redirectPort: await freePort(), clock }
  const server = await platformWith(place)
  expect(await failed(server)).toMatchObject({
    state: 'error',
    code: 'TLS10',
    seen: expect.stringContaining('rate limit: "too many certificates already issued"'),
  })
  expect(pebble.orders()).toBe(1)
  const { owner, team } = await server.build.platform()
  const application = await server.build.application(owner, team)
  await instanceCalls(() => ({ server, owner, application })).running('oven')
  await server.stop()
  const again = await platformWith({ ...place, config: server.config })
  clock.turn(119 * minute)
  await orderDue(again)
  expect((await shownAt(place.port, 'oven.apps.test')).names).toBe('DNS:forge.test')
  // An impatient administrator does not get past it either.
  await again.app.certificates!.reload()
  expect(pebble.orders()).toBe(1)
  clock.turn(2 * minute)
  await orderDue(again)
  expect(pebble.orders()).toBe(2)
})

describe.runIf(hasPebble)('an ACME server that refuses', () => {
  test('a name that it cannot look up is tried again later and later, until it is known', async () => {
    const clock = testClock()
    const world = await openAcme({ clock })
    const { pebble, server } = world
    await issuedAt(world, 'forge.test')
    const { owner, team } = await server.build.platform()
    const application = await server.build.application(owner, team)
    await instanceCalls(() => ({ server, owner, application })).running('oven')
    await pebble.forget('oven.apps.test')
    expect((await shownAt(world.port, 'oven.apps.test')).names).toBe('DNS:forge.test')
    expect(await healthOf(server)).toMatchObject({
      state: 'error',
      code: 'TLS09',
      seen: expect.stringMatching(/^oven\.apps\.test has no certificate\. .* The next attempt is at 20/),
    })
    const checks = async () => {
      await orderDue(server)
      await shownAt(world.port, 'oven.apps.test')
      return pebble.counts().checks
    }
    // Neither the platform nor a client makes an attempt before it is due.
    expect(await checks()).toBe(2)
    clock.turn(4 * minute)
    expect(await checks()).toBe(2)
    clock.turn(2 * minute)
    expect(await checks()).toBe(3)
    clock.turn(29 * minute)
    expect(await checks()).toBe(3)
    clock.turn(2 * minute)
    expect(await checks()).toBe(4)
    await pebble.know('oven.apps.test')
    clock.turn(2 * hour + minute)
    await orderDue(server)
    expect((await issuedAt(world, 'oven.apps.test')).names).toBe('DNS:oven.apps.test')
    expect(await healthOf(server)).toMatchObject({ state: 'ok' })
  })

  test('a port 80 that leads elsewhere is told, browsers get a stand-in, and a signal tries again at once', async () => {
    const httpPort = await freePort()
    const world = await openAcme({ httpPort })
    expect(await failed(world.server)).toMatchObject({
      state: 'error',
      code: 'TLS08',
      seen: expect.stringMatching(/^forge\.test has no certificate\. The ACME server gets no answer .* at port 80/),
    })
    expect(await shownAt(world.port, 'forge.test')).toMatchObject({ names: 'DNS:forge.test', isTrusted: false })
    expect(await healthOf(world.server, 'Certificate')).toMatchObject({ state: 'error', code: 'TLS12' })
    const before = world.pebble.counts().checks
    await world.server.app.certificates!.reload()
    await orderDue(world.server)
    expect(world.pebble.counts().checks).toBe(before + 1)
  })

  test('where it does not answer the certificates stay in use, and one of another ACME server replaces them', async () => {
    const clock = testClock()
    const world = await openAcme({ clock })
    const first = await issuedAt(world, 'forge.test')
    await world.pebble.stop()
    clock.turn(61 * 24 * hour)
    const { cookie } = await world.server.build.user({ admin: true })
    await orderDue(world.server)
    expect(await failed(world.server)).toMatchObject({
      state: 'warning',
      code: 'TLS11',
      seen: expect.stringContaining('The ACME server does not answer'),
    })
    expect((await shownAt(world.port, 'forge.test')).fingerprint).toBe(first.fingerprint)
    await world.server.stop()
    const pebble = await startPebble({ httpPort: world.redirectPort })
    const { home, databaseUrl } = world.server.config
    const place = { ...world, pebble, config: { home, ...(databaseUrl && { databaseUrl }) } }
    const again = await platformWith(place)
    await issuedAt(place, 'forge.test')
    expect(await healthOf(again, 'Certificates by ACME', cookie)).toMatchObject({ state: 'ok' })
  })

  test('an external account is needed where the ACME server demands one', async () => {
    const hmacKey = Buffer.from('a key of thirty-two bytes or more').toString('base64url')
    const [port, redirectPort] = [await freePort(), await freePort()]
    const pebble = await startPebble({ httpPort: redirectPort, accounts: { 'kid-1': hmacKey } })
    const place = { pebble, port, redirectPort }
    const without = await platformWith(place)
    expect(await failed(without)).toMatchObject({
      code: 'TLS11',
      seen: expect.stringMatching(/refused the order: .*externalAccountRequired/),
    })
    await without.stop()
    const { home, databaseUrl, tls } = without.config
    const source = { ...acmeSettings(place).tls.source, externalAccount: { kid: 'kid-1', hmacKey } }
    const config = { home, ...(databaseUrl && { databaseUrl }), tls: { ...tls!, source } }
    const server = await platformWith({ ...place, config })
    await server.app.certificates!.reload()
    expect((await issuedAt(place, 'forge.test')).names).toBe('DNS:forge.test')
  })

  test('an ACME server that has forgotten the account gets it anew', async () => {
    const clock = testClock()
    const world = await openAcme({ clock })
    const first = await issuedAt(world, 'forge.test')
    await world.pebble.restart()
    clock.turn(61 * 24 * hour)
    await orderDue(world.server)
    expect((await issuedAt(world, 'forge.test')).fingerprint).not.toBe(first.fingerprint)
  })
})
