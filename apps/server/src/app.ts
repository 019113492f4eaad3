import type { Driver } from '@app/drivers'
import type { LogEvent } from 'kysely'
import type { AddressInfo } from 'node:net'
import type { Logger } from 'pino'
import { type Config, ConfigError, localUrl } from './config.ts'
import { createFeatures } from './features.ts'
import { type Clock, systemClock } from './platform/clock.ts'
import { createVault } from './platform/crypto.ts'
import { openKeys } from './keys.ts'
import { openDatabase } from './platform/db/database.ts'
import { migrate } from './platform/db/migrate.ts'
import { createDisk } from './platform/disk.ts'
import { createBus } from './platform/events/bus.ts'
import { Failure } from './platform/http/failure.ts'
import { createHttp } from './platform/http/app.ts'
import type { InheritedSocket } from './platform/http/inherited.ts'
import { checkPort } from './platform/http/port.ts'
import { serveDocumentation } from './platform/http/documentation.ts'
import { servePages } from './platform/http/pages.ts'
import { createJobs } from './platform/jobs/jobs.ts'
import {
  consoleHosts,
  createListener,
  createProxy,
  createTrust,
  type HostRole,
  type Listener,
} from './platform/proxy/index.ts'
import { createServers } from './platform/keys/servers.ts'
import { serveAvatars } from './features/account/index.ts'
import { auditMarker } from './features/audit/index.ts'
import { createHost, createOrigin } from './features/instances/index.ts'
import { type Phase, serveProbes } from './features/health/index.ts'
import type { Restoring } from './features/setup/index.ts'
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
  /** How a back-up takes the place of the platform; without, none can be restored from the set-up page. */
  restoring?: Restoring
  /** Listens in the place of the configured address. */
  socket?: InheritedSocket | undefined
  /** Ends the process, which must not go on, with a sentence for people; without, it is logged alone. */
  end?(reason: string): void
}

/** Milliseconds in which a server that lost the instances may end them. */
const lostMs = 30_000

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
  // At once: a key that nobody is there for may be replaced while the platform is nobody's.
  await servers.start()
  const disk = createDisk({ home: config.home, reserve: config.diskReserve, log })
  const bus = await createBus(database)
  const host = createHost({
    database,
    home: config.home,
    log,
    lost,
    blocked: createOrigin({ home: config.home, driver }),
    stopAll: () => features.monitor.stopAll(),
    startAll: () => features.monitor.startAll(),
  })
  const jobs = createJobs({ database, bus, clock, log, worker: host })
  const vault = createVault(keys)
  const mark = auditMarker(keys)
  const base = new URL(config.baseUrl)
  const secure = base.protocol === 'https:'
  const instanceUrl = (name: string) => `${base.protocol}//${name.toLowerCase()}.${config.instanceDomain}`
  const trust = createTrust({ proxies: config.trustProxy, secret: config.proxySecret })
  const addresses = { baseUrl: config.baseUrl, instanceUrl }
  const features = createFeatures({
    database,
    bus,
    clock,
    log,
    jobs,
    driver,
    vault,
    keys,
    mark,
    addresses,
    trust,
    config,
    restoring,
    secure,
    disk,
    host,
  })

  const proxy = createProxy({
    resolve: (host, visitor) => features.directory.resolve(host, visitor),
    platformCookies: features.cookieNames,
    configuredTokens: config.metricsToken === undefined ? [] : [config.metricsToken],
    secure,
    trust,
  })
  const own = consoleHosts(config.baseUrl, localUrl(config))
  /** The console may itself be below the domain of the instances, as forge.example.com is below example.com. */
  const roleOf = (host: string): HostRole =>
    own.has(host) ? 'console' : host.endsWith(`.${config.instanceDomain}`) ? 'instance' : 'foreign'
  const app = await createHttp({
    handlers: features.handlers,
    authenticate: features.authenticate,
    load: features.load,
    rules: { setting: async (name) => (await features.settings.all())[name] },
    consoleOrigin: base.origin,
    clock,
    disk,
    log,
    secure,
    // Instances call in on the loopback address, people on the public one.
    listener: (console) => createListener({ roleOf, consoleUrl: config.baseUrl, console, proxy }),
  })
  serveAvatars(app)
  let phase: Phase = 'starting'
  serveProbes(app, {
    database,
    version,
    metricsToken: config.metricsToken,
    phase: () => phase,
    disk,
    arrivals: features.arrivals,
    host,
    operation: features.operation,
  })
  serveDocumentation(app)
  await servePages(app, pages)

  async function listen(): Promise<void> {
    if (!socket) return void (await app.listen({ host: config.host, port: config.port }))
    await app.ready()
    await socket.serve(app.server)
  }

  /** What only the server does that runs the instances: it works off the jobs of all. */
  async function startInstances(): Promise<void> {
    const stack = await features.catalogue.usualStack()
    if (stack) driver.expect(stack)
    await jobs.start()
    await features.catalogue.prepareStacks()
    features.sleep.start()
    features.metrics.start()
  }

  /** Processes of this home would run beside those of the server that has taken them over. */
  async function endLeftovers(): Promise<void> {
    const ended = await features.monitor.endLeftovers()
    if (ended > 0) log.warn({ ended }, 'ended processes of instances that another server runs now')
    await host.cleared()
  }

  /** What runs here would run twice: nothing of it may go on, whatever else fails. */
  function lost(reason: string): void {
    jobs.abandon()
    // Ending them must not keep this server if it hangs; what is left then is ended by its next start.
    const late = setTimeout(end, lostMs, `${reason} Not all of them ended in time.`)
    const ending = () => features.monitor.stopAll({ silently: true })
    // Again for what a job was just about to start.
    void ending()
      .then(ending)
      .catch((error: unknown) => log.error({ err: error }, 'not all instances were ended'))
      .then(() => host.cleared())
      .catch((error: unknown) => log.error({ err: error }, 'could not say that the instances were ended'))
      .finally(() => {
        clearTimeout(late)
        end(reason)
      })
  }

  return {
    setup: features.setup,
    database,
    bus,
    features,
    host,
    http: app,
    /** Finds running instances again, listens and takes up open jobs. Returns the port. */
    async listen(): Promise<number> {
      if (config.admin) {
        await features.setup.claimFromConfiguration(config.admin).catch((error: unknown) => {
          throw error instanceof Failure ? new ConfigError([`FORGE_ADMIN_PASSWORD: ${error.message}.`]) : error
        })
      }
      // Before the instances are claimed: a server that cannot listen must not keep them from the next one.
      if (!socket) await checkPort(config)
      disk.start()
      const isHost = await host.take()
      // Before it listens, since a request to an instance that is not found yet would be refused.
      if (isHost) await features.monitor.start()
      await listen().catch(async (error: unknown) => {
        await host.stop()
        throw error
      })
      if (isHost) await startInstances()
      else await endLeftovers()
      features.mail.start()
      features.sealer.start()
      features.retention.start()
      features.stats.start()
      features.activity.start()
      features.sweeper.start()
      features.backups.start()
      features.deleted.start()
      phase = 'ready'
      return (app.server.address() as AddressInfo | null)?.port ?? config.port
    },
    /** Takes nothing new and lets requests finish for up to `seconds`; `signal` ends that early. Then call `close`. */
    async drain(seconds: number, signal: AbortSignal): Promise<void> {
      phase = 'stopping'
      socket?.close()
      features.backups.stop()
      features.realtime.close()
      await (app.server as Listener).drain(seconds, signal)
    },
    async close(): Promise<void> {
      phase = 'stopping'
      socket?.pause()
      disk.stop()
      features.backups.stop()
      features.realtime.close()
      await app.close()
      // Without a listening socket of its own the HTTP server does not know that it was open.
      if (socket) app.server.closeAllConnections()
      proxy.close()
      features.mail.stop()
      features.sweeper.stop()
      await features.metrics.stop()
      await features.stats.stop()
      await features.retention.stop()
      features.deleted.stop()
      await features.sleep.stop()
      await features.activity.stop()
      await jobs.stop()
      await features.monitor.stop()
      await host.stop()
      await features.sealer.stop()
      features.directory.close()
      await driver.close()
      await servers.stop()
      await bus.close()
      await database.close()
    },
  }
}
