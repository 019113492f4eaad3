import type { Driver } from '@app/drivers'
import type { LogEvent } from 'kysely'
import type { AddressInfo } from 'node:net'
import type { Logger } from 'pino'
import { type Config, ConfigError } from './config.ts'
import { createFeatures } from './features.ts'
import { type Clock, systemClock } from './platform/clock.ts'
import { createVault, loadMasterKey } from './platform/crypto.ts'
import { openDatabase } from './platform/db/database.ts'
import { migrate } from './platform/db/migrate.ts'
import { createDisk } from './platform/disk.ts'
import { createBus } from './platform/events/bus.ts'
import { Failure } from './platform/http/failure.ts'
import { createHttp } from './platform/http/app.ts'
import type { InheritedSocket } from './platform/http/inherited.ts'
import { serveDocumentation } from './platform/http/documentation.ts'
import { servePages } from './platform/http/pages.ts'
import { createJobs } from './platform/jobs/jobs.ts'
import { createListener, createProxy, type Listener } from './platform/proxy/index.ts'
import { serveAvatars } from './features/account/index.ts'
import { auditMarker } from './features/audit/index.ts'
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
}

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
  } = options
  const database = await openDatabase({
    home: config.home,
    url: config.databaseUrl,
    pool: config.databasePool,
    onQuery,
  })
  await migrate(database)
  const disk = createDisk({ home: config.home, reserve: config.diskReserve, log })
  const bus = await createBus(database)
  const jobs = createJobs({ database, bus, clock, log })
  const masterKey = loadMasterKey(config.home, config.secretKey)
  const vault = createVault(masterKey)
  const mark = auditMarker(masterKey)
  const base = new URL(config.baseUrl)
  const secure = base.protocol === 'https:'
  const instanceUrl = (name: string) => `${base.protocol}//${name.toLowerCase()}.${config.instanceDomain}`
  const addresses = { baseUrl: config.baseUrl, instanceUrl }
  const features = createFeatures({
    database,
    bus,
    clock,
    log,
    jobs,
    driver,
    vault,
    masterKey,
    mark,
    addresses,
    config,
    restoring,
    secure,
    disk,
  })

  const proxy = createProxy({
    resolve: (host, visitor) => features.directory.resolve(host, visitor),
    platformCookies: features.cookieNames,
    secure,
    trustedProxies: config.trustProxy === false ? 0 : config.trustProxy,
  })
  /** The console may itself be below the domain of the instances, as forge.example.com is below example.com. */
  const isConsole = (host: string) => host === base.host || !host.endsWith(`.${config.instanceDomain}`)
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
    trustProxy: config.trustProxy,
    // Instances call in on the loopback address, people on the public one.
    listener: (console) => createListener({ isConsole, console, proxy }),
  })
  serveAvatars(app)
  let phase: Phase = 'starting'
  serveProbes(app, { database, version, metricsToken: config.metricsToken, phase: () => phase, disk })
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

  return {
    setup: features.setup,
    database,
    bus,
    features,
    http: app,
    /** Finds running instances again, listens and takes up open jobs. Returns the port. */
    async listen(): Promise<number> {
      if (config.admin) {
        await features.setup.claimFromConfiguration(config.admin).catch((error: unknown) => {
          throw error instanceof Failure ? new ConfigError([`FORGE_ADMIN_PASSWORD: ${error.message}.`]) : error
        })
      }
      disk.start()
      const isHost = await features.host.take()
      // Before it listens, since a request to an instance that is not found yet would be refused.
      if (isHost) await features.monitor.start()
      await listen()
      if (isHost) await startInstances()
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
      await features.host.stop()
      await features.sealer.stop()
      features.directory.close()
      await driver.close()
      await bus.close()
      await database.close()
    },
  }
}
