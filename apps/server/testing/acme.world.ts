import type { HealthCheck } from '@app/contract'
import { once } from 'node:events'
import { connect, type PeerCertificate } from 'node:tls'
import { onTestFinished } from 'vitest'
import { freePort, send, startServer, type testClock, type TestServer, type TestServerOptions, until } from './index.ts'
import { type Pebble, startPebble } from './pebble.ts'

const acmeEmail = 'admin@forge.test'

interface Place {
  pebble: Pick<Pebble, 'directory' | 'caFile'>
  port: number
  redirectPort: number
  config?: TestServerOptions<never>['config']
  clock?: ReturnType<typeof testClock>
}

/** The settings of a platform that gets its certificates from this ACME server. */
export const acmeSettings = ({ pebble: { directory, caFile }, port, redirectPort }: Place) => ({
  baseUrl: `https://forge.test:${port}`,
  instanceDomain: `apps.test:${port}`,
  tls: {
    source: { kind: 'acme' as const, email: acmeEmail, directory, caFile },
    host: '127.0.0.1',
    port,
    redirectPort,
  },
})

/** A platform that gets its certificates from this ACME server, until the end of the test. */
export async function platformWith(place: Place): Promise<TestServer> {
  const { config = {}, clock } = place
  const server = await startServer({ ...(clock && { clock }), config: { ...acmeSettings(place), ...config } })
  let isStopped = false
  onTestFinished(() => (isStopped ? undefined : server.close()))
  return {
    ...server,
    stop: () => {
      isStopped = true
      return server.stop()
    },
  }
}

interface Given {
  clock?: ReturnType<typeof testClock>
  days?: number
  /** Where the ACME server asks for proofs; the port of redirects unless told. */
  httpPort?: number
  config?: Place['config']
}

/** An ACME server and a platform that gets its certificates there. */
export async function openAcme({ clock, days, httpPort, config }: Given = {}) {
  const [port, redirectPort] = [await freePort(), await freePort()]
  const pebble = await startPebble({ httpPort: httpPort ?? redirectPort, ...(days && { days }) })
  const place = { pebble, port, redirectPort, ...(clock && { clock }), ...(config && { config }) }
  return { ...place, server: await platformWith(place) }
}

/** The certificate that a client sees for a name, and whether it is trusted with this authority alone. */
export async function shownAt(port: number, servername: string, ca?: string) {
  const socket = connect({ host: '127.0.0.1', port, servername, rejectUnauthorized: false, ...(ca && { ca }) })
  await once(socket, 'secureConnect')
  const { fingerprint256, subjectaltname = '' }: PeerCertificate = socket.getPeerCertificate()
  const seen = { fingerprint: fingerprint256, names: subjectaltname, isTrusted: socket.authorized }
  socket.destroy()
  return seen
}

/** Resolves with the certificate of a name once it is one of the ACME server. */
export async function issuedAt({ pebble, port }: { pebble: Pebble; port: number }, name: string) {
  const root = await pebble.root()
  return until(
    () => shownAt(port, name, root),
    ({ isTrusted }) => isTrusted,
    30_000,
  )
}

/** Asks Health for its finding about a part. `cookie`: of an administrator, where the platform has one already. */
export async function healthOf(server: TestServer, part = 'Certificates by ACME', cookie?: string) {
  const headers = { cookie: cookie ?? (await server.build.user({ admin: true })).cookie }
  const { json } = await send(server.address, 'POST', '/api/v1/admin/health', { headers })
  return (json.checks as HealthCheck[]).find((check) => check.part === part)
}

/** Makes the orders that are due, and waits until none is under way. */
export async function orderDue({ app }: TestServer): Promise<void> {
  await app.services.acme.orderDue()
  await until(
    () => app.services.jobs.watchList(10),
    (jobs) => jobs.every(({ job }) => job.title !== 'Order a certificate'),
  )
}
