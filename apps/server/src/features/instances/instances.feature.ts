import type { Tx } from '../../platform/db/tables.ts'
import { localUrl } from '../../config.ts'
import { defineFeature } from '../../platform/features/feature.ts'
import { also } from '../../platform/features/services.ts'
import { contextHandlers } from './context.routes.ts'
import { type Context, createContext } from './context.service.ts'
import { deletedHandlers } from './deleted.routes.ts'
import { createDeleted, type Deleted } from './deleted.service.ts'
import { haHandlers } from './ha.routes.ts'
import { type Activity, createActivity } from './instances.activity.ts'
import { type ContentsService, createContents } from './instances.contents.ts'
import { createDirectory, type Directory } from './instances.directory.ts'
import { createHost, type Host } from './instances.host.ts'
import { defineLifecycle, type Lifecycle } from './instances.lifecycle.ts'
import { createLogs, type Logs } from './instances.logs.ts'
import { createLost } from './instances.lost.ts'
import { createMonitor, type Monitor } from './instances.monitor.ts'
import { createNodes, type Nodes } from './instances.nodes.ts'
import { createOrigin } from './instances.origin.ts'
import { createProtection, type Protection } from './instances.protection.ts'
import { instanceHandlers } from './instances.routes.ts'
import { sealedByInstances } from './instances.sealed.ts'
import { createInstances, type Instances } from './instances.service.ts'
import { createSleep, type Sleep } from './instances.sleep.ts'
import { keepModules, loadInstance } from './instances.store.ts'
import { createTraffic, type Traffic } from './instances.traffic.ts'
import type { Addresses } from './instances.view.ts'
import { versionHandlers } from './versions.routes.ts'
import { createVersions, type Versions } from './versions.service.ts'

declare module '../../platform/features/services.ts' {
  interface Services {
    addresses: Addresses
    /** Address of the platform as instances on this machine reach it. */
    platformUrl: string
    host: Host
    activity: Activity
    traffic: Traffic
    protection: Protection
    lifecycle: Lifecycle
    versions: Versions
    instances: Instances
    deleted: Deleted
    contents: ContentsService
    context: Context
    logs: Logs
    nodes: Nodes
    monitor: Monitor
    sleep: Sleep
    directory: Directory
  }
  interface Hooks {
    /** Before an instance is written into an application, new or restored. */
    'instance.coming': (tx: Tx, applicationId: string) => Promise<void>
    /** It is deleted, and can be restored for a while: nobody may speak for it any more. */
    'instance.deleted': (tx: Tx, id: string) => Promise<void>
    /** Before it is removed for good. */
    'instance.leaving': (tx: Tx, id: string) => Promise<void>
    /** After that, with the application it was in. */
    'instance.left': (tx: Tx, applicationId: string) => Promise<void>
  }
}

export const instancesFeature = defineFeature({
  name: 'instances',
  shares: ['instances', 'instance_storage'],
  provides: {
    addresses: ({ config, baseUrl }) => ({
      baseUrl,
      instanceUrl: (name) => `${new URL(baseUrl).protocol}//${name.toLowerCase()}.${config.instanceDomain}`,
    }),
    platformUrl: ({ config }) => localUrl(config),
    host: (services) =>
      createHost(
        also(services, {
          home: services.config.home,
          lost: createLost(services),
          blocked: createOrigin({ home: services.config.home, driver: services.driver }),
          stopAll: () => services.monitor.stopAll(),
          startAll: () => services.monitor.startAll(),
          times: services.config.hostTimes,
        }),
      ),
    activity: createActivity,
    traffic: createTraffic,
    protection: createProtection,
    lifecycle: defineLifecycle,
    versions: createVersions,
    instances: (services) => createInstances(also(services, { isHaOn: services.switches.ha })),
    deleted: createDeleted,
    contents: createContents,
    context: createContext,
    logs: createLogs,
    nodes: createNodes,
    monitor: (services) => createMonitor(services, services.instances, services.lifecycle),
    sleep: createSleep,
    directory: (services) =>
      createDirectory(
        also(services, { wake: services.instances.wake, instanceDomain: services.config.instanceDomain }),
      ),
  },
  routes: (services) => ({
    ...instanceHandlers(services.instances, services.logs, services.nodes, services.audit, services.deployments),
    ...haHandlers(services.instances),
    ...contextHandlers(services.context),
    ...deletedHandlers(services.deleted),
    ...versionHandlers(services.versions, services.deployments),
  }),
  targets: ({ database }) => ({
    instance: {
      keys: ['instanceId'],
      async load({ instanceId }, userId) {
        const row = instanceId === undefined ? undefined : await loadInstance(database.read, instanceId, userId)
        return row && { teamId: row.team_id, role: row.role ?? undefined, instanceId: row.id, instance: row }
      },
    },
  }),
  runs: {
    host: ({ host }) => ({ stop: host.stop }),
    activity: ({ activity }) => activity,
    monitor: ({ monitor, host, log }) => ({
      // Before the server listens, since a request to an instance that is not found yet would be refused.
      adopt: monitor.start,
      /** Processes of this home would run beside those of the server that has taken them over. */
      async start(isHost) {
        if (isHost) return
        const ended = await monitor.endLeftovers()
        if (ended > 0) log.warn({ ended }, 'ended processes of instances that another server runs now')
        await host.cleared()
      },
      stop: monitor.stop,
    }),
    sleep: ({ sleep }) => ({ start: (isHost) => (isHost ? sleep.start() : undefined), stop: sleep.stop }),
    deleted: ({ deleted }) => deleted,
    directory: ({ directory }) => ({ stop: directory.close }),
  },
  hooks: {
    'template.changed': ({ protection }) => protection.templateChanged,
    'template.modules': () => keepModules,
    'template.saved':
      ({ protection }) =>
      async () =>
        protection.enforceAll(),
  },
  backup: {
    leaveOut: ['instance_host'],
    change: {
      instances: (row) => ({
        ...row,
        in_flight: null,
        in_flight_until: 0,
        observed: 'stopped',
        restart: null,
        members: null,
        open_editors: null,
        access: null,
      }),
    },
  },
  sealed: sealedByInstances,
})
