import { once } from 'node:events'
import { type IncomingMessage, request as plainRequest } from 'node:http'
import { connect, type PeerCertificate } from 'node:tls'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  databaseUrl,
  freePort,
  instanceCalls,
  startServer,
  testClock,
  type TestServer,
  type TestServerOptions,
  type TestUser,
  until,
} from './index.ts'
import { hasPebble, type Pebble, startPebble } from './pebble.ts'

const email = 'admin@forge.test'
const dayMs = 86_400_000

interface Given {
  pebble: Pebble
  port: number
  redirectPort: number
  config?: TestServerOptions<never>['config']
  clock?: ReturnType<typeof testClock>
}

/** A platform that gets its certificates from this ACME server. */
async function platformWith({ pebble, port, redirectPort, config = {}, clock }: Given): Promise<TestServer> {
  const { directory, caFile } = pebble
  const server = await startServer({
    ...(clock && { clock }),
    config: {
      baseUrl: `https://forge.test:${port}`,
      instanceDomain: `apps.test:${port}`,
      tls: { source: { kind: 'acme', email, directory, caFile }, host: '127.0.0.1', port, redirectPort },
      ...config,
    },
  })
  onTestFinished(() => server.close())
  return server
}

async function start(more: Pick<Given, 'clock'> = {}) {
  const [port, redirectPort] = [await freePort(), await freePort()]
  const pebble = await startPebble({ httpPort: redirectPort })
  const server = await platformWith({ pebble, port, redirectPort, ...more })
  return { pebble, port, redirectPort, server }
}

/** The certificate that a client sees, and whether it trusts it with this authority alone. */
async function shown(port: number, servername: string, ca?: string) {
  const socket = connect({ host: '127.0.0.1', port, servername, rejectUnauthorized: false, ...(ca && { ca }) })
  await once(socket, 'secureConnect')
  const { fingerprint256, subjectaltname = '' }: PeerCertificate = socket.getPeerCertificate()
  const seen = { fingerprint: fingerprint256, names: subjectaltname, isTrusted: socket.authorized }
  socket.destroy()
  return seen
}

const issued = async ({ pebble, port }: { pebble: Pebble; port: number }, name: string) => {
  const root = await pebble.root()
  return until(
    () => shown(port, name, root),
    ({ isTrusted }) => isTrusted,
    30_000,
  )
}

async function finding(server: TestServer, part: string) {
  const admin = await server.build.user({ admin: true })
  const { checks } = await admin.client.call('health.check')
  return checks.find((check) => check.part === part)
}

describe.runIf(hasPebble)('certificates by ACME', () => {
  test('the console gets a certificate of the ACME server, and a restart orders no other', async () => {
    const world = await start()
    const first = await issued(world, 'forge.test')
    expect(first.names).toBe('DNS:forge.test')
    expect(await finding(world.server, 'Certificate')).toMatchObject({ state: 'ok' })
    expect(await finding(world.server, 'Certificates by ACME')).toMatchObject({
      state: 'ok',
      seen: 'Certificates for 1 names. None has failed.',
    })
    await world.server.stop()
    await platformWith({ ...world, config: world.server.config })
    expect((await shown(world.port, 'forge.test')).fingerprint).toBe(first.fingerprint)
  })
})
