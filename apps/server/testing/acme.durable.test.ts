import { once } from 'node:events'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { bundle } from '../../../tools/build/node-build.ts'
import type { Config } from '../src/config.ts'
import { acmeSettings, issuedAt, openAcme, orderDue, shownAt } from './acme.world.ts'
import { createVictim } from './crash.process.ts'
import { createStubDriver, databaseUrl, freePort, instanceCalls, startServer } from './index.ts'
import { hasPebble, startPebble } from './pebble.ts'
import { usualConfig } from './usual.config.ts'

/** A port that keeps every connection waiting until it is opened, and then passes it on. */
async function openGate(to: number) {
  const arrived = Promise.withResolvers<void>()
  const opened = Promise.withResolvers<void>()
  const server = createServer((socket) => {
    arrived.resolve()
    socket.on('error', () => socket.destroy())
    void opened.promise.then(() => {
      const other = connect(to, '127.0.0.1').on('error', () => socket.destroy())
      socket.pipe(other).pipe(socket)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { port: (server.address() as { port: number }).port, arrived: arrived.promise, open: () => opened.resolve() }
}

describe.runIf(hasPebble)('orders of certificates', () => {
  test('a server that is killed in the middle of an order goes on with it, and makes no second one', async () => {
    const [plain, port, redirectPort] = [await freePort(), await freePort(), await freePort()]
    const gate = await openGate(redirectPort)
    const pebble = await startPebble({ httpPort: gate.port })
    const home = await mkdtemp(join(tmpdir(), 'forge-acme-'))
    const url = await databaseUrl()
    const config: Config = {
      home,
      port: plain,
      ...usualConfig,
      logLevel: 'error',
      ...(url && { databaseUrl: url }),
      ...acmeSettings({ pebble, port, redirectPort }),
    }
    // As the package runs it, with the library of ACME in one file with the server.
    await bundle({ main: 'apps/server/testing/crash.server.ts' }, join(home, 'program'))
    const victim = createVictim(config, join(home, 'program/main.js'))
    onTestFinished(async () => {
      await victim.end('SIGTERM')
      await rm(home, { recursive: true, force: true })
    })
    await victim.start()
    await gate.arrived
    await victim.end('SIGKILL')
    await victim.start()
    gate.open()
    expect((await issuedAt({ pebble, port }, 'forge.test')).names).toBe('DNS:forge.test')
    expect(pebble.counts().orders).toBe(1)
  })

  test.runIf(process.env.TEST_DATABASE === 'postgres')(
    'one of two servers orders, either answers the ACME server, and both show the certificate',
    async () => {
      const redirectOfTwo = await freePort()
      // The ACME server asks the second one, which has ordered nothing.
      const world = await openAcme({ httpPort: redirectOfTwo })
      const { server } = world
      const home = await mkdtemp(join(tmpdir(), 'forge-second-'))
      await cp(join(server.config.home, 'keys'), join(home, 'keys'), { recursive: true })
      const tls = { ...server.config.tls!, port: await freePort(), redirectPort: redirectOfTwo }
      const config = { ...server.config, home, port: await freePort(), tls }
      const two = await startServer({ driver: () => createStubDriver(), config })
      onTestFinished(() => two.close())
      // The first attempt may have found nobody there, and only one that has failed is made again.
      await orderDue(server)
      await server.app.certificates!.reload()
      const first = await issuedAt(world, 'forge.test')
      expect((await issuedAt({ ...world, port: tls.port }, 'forge.test')).fingerprint).toBe(first.fingerprint)
      const { owner, team } = await server.build.platform()
      const application = await server.build.application(owner, team)
      await instanceCalls(() => ({ server, owner, application })).running('oven')
      const { orders } = world.pebble.counts()
      const seen = await Promise.all([world.port, tls.port].map((port) => shownAt(port, 'oven.apps.test')))
      expect(seen[0]).toMatchObject({ names: 'DNS:oven.apps.test' })
      expect(seen[1]).toEqual(seen[0])
      expect(world.pebble.counts().orders).toBe(orders + 1)
    },
  )
})
