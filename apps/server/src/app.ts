import { containerUrl } from '@app/contract'
import type { Driver } from '@app/drivers'
import type { LogEvent } from 'kysely'
import type { AddressInfo } from 'node:net'
import type { Logger } from 'pino'
import { backupRules } from './backup.rules.ts'
import { type Config, ConfigError, kubernetesUrl, localUrl, swarmUrl } from './config.ts'
import { features } from './features.ts'
import { type Clock, systemClock } from './platform/clock.ts'
import { createVault } from './platform/crypto.ts'
import { openKeys } from './keys.ts'
import { openDatabase } from './platform/db/database.ts'
import { migrate } from './platform/db/migrate.ts'
import { createDisk } from './platform/disk.ts'
import { createBus } from './platform/events/bus.ts'
import { assemble } from './platform/features/assemble.ts'
import { Failure } from './platform/http/failure.ts'
import { createHttp } from './platform/http/app.ts'
import { bearerOf } from './platform/http/bearer.ts'
import type { InheritedSocket } from './platform/http/inherited.ts'
import { checkPort } from './platform/http/port.ts'
import { serveDocumentation } from './platform/http/documentation.ts'
import { servePages } from './platform/http/pages.ts'
import { socketsOf } from './platform/http/sockets.ts'
import { strictHost } from './platform/http/headers.ts'
import { createJobs } from './platform/jobs/jobs.ts'
import {
  consoleHosts,
  createListener,
  createProxy,
  createTrust,
  type HostRole,
  type Listener,
} from './platform/proxy/index.ts'
import type { Phase } from './platform/features/services.ts'
import { createServers } from './platform/keys/servers.ts'
import { openOwnCertificates } from './features/tls/index.ts'
import { isProbe } from './features/health/index.ts'
import { proxyNotices, visitorOf } from './features/instance-proxy/index.ts'
import type { Restoring } from './features/setup/index.ts'
import { createSweeper } from './platform/sweeper.ts'
import { checkFront, type Front, openFront } from './platform/tls/front.ts'
import type { Certificates } from './platform/tls/certificate.ts'
import { version } from './version.ts'

export interface AppOptions {
  config: Config
  driver: Driver
  log: Logger
  clock?: Clock
  /** Told of every query; for tests that count them. */
  onQuery?: (event: LogEvent) => void
  /** Folder of the built console. */
  pages?: string
  /** Restore of a backup in the place of the platform; without, none can be restored from the set-up page. */
  restoring?: Restoring
  /** Listens in the place of the configured address. */
  socket?: InheritedSocket | undefined
  /** The certificate in files; needed where the settings name them. */
  certificates?: Certificates | undefined
  /** Ends the process, which must not go on, with a sentence for people; without, it is logged alone. */
  end?(reason: string): void
}

/** Are instances below the host of the console? Other hosts there may be of people who know nothing of this platform. */
const instancesBelow = ({ baseUrl, instanceDomain, instancePorts }: Config): boolean =>
  !instancePorts && `.${new URL(`https://${instanceDomain}`).hostname}`.endsWith(`.${new URL(baseUrl).hostname}`)

export type App = Awaited<ReturnType<typeof createApp>>

/** The whole server, assembled and migrated, but not listening yet. */
export async function createApp(options: AppOptions) {
  const {
    config,
    driver,
    log,
    clock = systemClock,
    onQuery,
    pages,
    restoring = { status: { phase: 'none' } },
    socket,
    end = (reason) => log.fatal(reason),
  } = options
  const database = await openDatabase({
    home: config.home,
    url: config.databaseUrl,
    pool: config.databasePool,
    onQuery,
  })
  const keys = await openKeys(database, config).catch(async (error: unknown) => {
    await database.close()
    throw error
  })
  await migrate(database)
  await keys.settle()
  const servers = createServers({ database, home: config.home, keys, log, end })
  // At once: the key of a platform that is not set up may be replaced as long as no server stands in the list.
  await servers.start()
  const disk = createDisk({ home: config.home, reserve: config.diskReserve, log })
  const bus = await createBus(database)
  const base = new URL(config.baseUrl)
  const secure = base.protocol === 'https:'
  const trust = createTrust({ proxies: config.trustProxy, secret: config.proxySecret })
  let phase: Phase = 'starting'
  const vault = createVault(keys)
  const stored = await openOwnCertificates({ database, vault, clock, bus, log, config })
  const certificates = stored ?? options.certificates
  const assembled = assemble(features, {
    database,
    bus,
    clock,
    log,
    driver,
    vault,
    keys,
    trust,
    disk,
    config,
    version,
    phase: () => phase,
    backupRules,
    baseUrl: config.baseUrl,
    secure,
    certificates,
    restoring,
    end,
    jobs: ({ host }, declared) => createJobs({ database, bus, clock, log, worker: host, declared }),
    sweeper: () =>
      createSweeper(
        { database, clock, log },
        features.flatMap(({ sweeps = [] }) => sweeps),
      ),
  })
  const { services } = assembled
  const { host, jobs } = services
  const { portOf } = services.ports

  // A person who loses the authority must be able to get in, which HSTS would forbid.
  const strictTransport = !secure || certificates?.authority ? 'off' : instancesBelow(config) ? 'below' : 'host'
  const proxy = createProxy({
    resolve: (name, visitor) => services.directory.resolve(name, visitor),
    visitorOf,
    notices: proxyNotices,
    platformCookies: assembled.cookies,
    configuredTokens: config.metricsToken === undefined ? [] : [config.metricsToken],
    secure,
    trust,
    // A reverse proxy that holds the certificates sends its own.
    ...(config.tls && strictTransport === 'host' && { added: Object.entries(strictHost).flat() }),
    ...(portOf && {
      cookiePrefix: (host: string) => {
        const port = portOf(host)
        return port === undefined ? undefined : `i${port}.`
      },
    }),
  })
  const forInstances = [localUrl(config), containerUrl(localUrl(config)), swarmUrl(config), kubernetesUrl(config)]
  const own = consoleHosts(config.baseUrl, ...forInstances)
  /** The console may itself be below the domain of the instances, as forge.example.com is below example.com. */
  const isInstance = (host: string): boolean =>
    portOf ? portOf(host) !== undefined : host.endsWith(`.${config.instanceDomain}`)
  const roleOf = (host: string): HostRole => (own.has(host) ? 'console' : isInstance(host) ? 'upstream' : 'foreign')
  const socketFor = (path: string) => {
    const socket = Object.hasOwn(assembled.sockets, path) ? assembled.sockets[path] : undefined
    return socket && { socketPath: socket() }
  }
  const app = await createHttp({
    handlers: assembled.handlers,
    authenticate: async (request) =>
      assembled.identify({
        bearer: bearerOf(request.headers),
        cookies: request.cookies,
        address: trust.clientAddress(request.raw) ?? '',
      }),
    targets: assembled.targets,
    switches: services.switches,
    teamLacks: services.quotas.lacks,
    rules: { setting: async (name) => (await services.settings.all())[name], callers: assembled.callers },
    consoleOrigin: base.origin,
    disk,
    log,
    viaProxy: (request) => trust.viaProxy(request),
    strictTransport,
    // Instances call in on the loopback address, people on the public one.
    listener: (console) =>
      createListener({
        roleOf,
        isAnywhere: isProbe,
        consoleUrl: config.baseUrl,
        console,
        proxy,
        challenge: certificates?.challenge,
        socketFor,
        sockets: socketsOf(console),
      }),
  })
  for (const { serve } of features) serve?.(app, services)
  serveDocumentation(app)
  await servePages(app, {
    folder: pages,
    connects: async (path) => [
      ...(config.analytics ? [config.analytics.url] : []),
      ...(path === '/setup' ? await services.setup.connects() : []),
    ],
  })

  let front: Front | undefined
  async function listen(): Promise<void> {
    if (!socket) await app.listen({ host: config.host, port: config.port })
    else {
      await app.ready()
      await socket.serve(app.server)
    }
    if (!config.tls || !certificates) return
    const { tls, baseUrl, instanceDomain: upstreamDomain } = config
    front = await openFront({ tls, certificates, baseUrl, upstreamDomain, server: app.server })
    const listener = app.server as Listener
    listener.join(front.server)
  }

  return {
    setup: services.setup,
    database,
    bus,
    services,
    handlers: assembled.handlers,
    cookies: assembled.cookies,
    host,
    http: app,
    certificates,
    /** Finds running instances again, listens and takes up open jobs. Returns the port. */
    async listen(): Promise<number> {
      if (config.admin) {
        await services.setup.claimFromConfiguration(config.admin).catch((error: unknown) => {
          throw error instanceof Failure ? new ConfigError([`FORGE_ADMIN_PASSWORD: ${error.message}.`]) : error
        })
      }
      // Before the instances are claimed: a server that cannot listen must not keep them from the next one.
      if (!socket) await checkPort(config)
      if (config.tls) await checkFront(config.tls)
      disk.start()
      const isHost = await host.take()
      // Before it listens, since a request to an instance that is not found yet would be refused.
      if (isHost) await assembled.adopt()
      await listen().catch(async (error: unknown) => {
        await host.stop()
        throw error
      })
      if (isHost) await services.ports.listen(app.server as Listener, front?.server ?? app.server)
      // The jobs of all servers are worked off where the instances run.
      if (isHost) await jobs.start()
      await assembled.start(isHost)
      services.sweeper.start()
      phase = 'ready'
      return (app.server.address() as AddressInfo | null)?.port ?? config.port
    },
    /** Takes nothing new and lets requests finish for up to `seconds`; `signal` ends that early. Then call `close`. */
    async drain(seconds: number, signal: AbortSignal): Promise<void> {
      phase = 'stopping'
      socket?.close()
      assembled.drain()
      await (app.server as Listener).drain(seconds, signal)
    },
    async close(): Promise<void> {
      phase = 'stopping'
      socket?.pause()
      disk.stop()
      assembled.drain()
      front?.close()
      stored?.close()
      await app.close()
      // Without a listening socket of its own the HTTP server does not know that it was open.
      if (socket) app.server.closeAllConnections()
      proxy.close()
      // Before the features whose work the jobs are.
      await jobs.stop()
      services.sweeper.stop()
      await assembled.stop()
      await driver.close()
      await servers.stop()
      await bus.close()
      await database.close()
    },
  }
}
