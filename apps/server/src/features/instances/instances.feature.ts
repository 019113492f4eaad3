import type { Actor } from '../../platform/authz/actor.ts'
import type { Tx } from '../../platform/db/tables.ts'
import { defineFeature } from '../../platform/features/feature.ts'
import { also } from '../../platform/features/services.ts'
import { defineLifecycle, type Lifecycle } from './instances.lifecycle.ts'
import { instanceHandlers } from './instances.routes.ts'
import { sealedByInstances } from './instances.sealed.ts'
import { createInstances, type Instances } from './instances.service.ts'
import { roleThere } from '../application-members/index.ts'
import { type InstanceRow, keepModules, loadInstance } from './instances.store.ts'
import { createAddresses } from './instances.addresses.ts'
import { assignPorts } from './instances.ports.store.ts'
import type { Addresses } from './instances.view.ts'
import { instanceChecks, instanceFigures } from './instances.health.ts'

/** An instance that is made as a copy. */
export interface CopiedInstance {
  row: Pick<InstanceRow, 'id' | 'settings'>
  actor: Actor
  source: { id: string; name: string }
  /** Absent: it gets none. */
  flows: string | undefined
}

declare module '../../platform/features/services.ts' {
  interface Services {
    addresses: Addresses
    lifecycle: Lifecycle
    instances: Instances
  }
  interface Hooks {
    /** Before an instance is written into an application, new or restored. A listener may refuse it. */
    'instance.coming': (
      tx: Tx,
      applicationId: string,
      instance: Pick<InstanceRow, 'id' | 'team_id' | 'type_id'>,
    ) => Promise<void>
    /** One that does not run is to be started, by somebody or by a request to it. A listener may refuse it. */
    'instance.starting': (tx: Tx, instance: Pick<InstanceRow, 'id' | 'team_id'>) => Promise<void>
    /** It is to become one of this type. A listener may refuse it. */
    'instance.retyping': (tx: Tx, instance: Pick<InstanceRow, 'id' | 'team_id'>, typeId: string) => Promise<void>
    /** A new instance gets contents of another, with these flows. */
    'instance.copied': (tx: Tx, copy: CopiedInstance) => Promise<void>
    /** It runs, with its flows, after a start that somebody or something asked for. */
    'instance.started': (tx: Tx, id: string) => Promise<void>
    /** Such a start did not bring its flows up, for this reason. */
    'instance.start-failed': (tx: Tx, id: string, reason: string) => Promise<void>
    /** It is deleted, and can be restored for a while: nobody may speak for it any more. */
    'instance.deleted': (tx: Tx, id: string) => Promise<void>
    /** Before it is removed for good. */
    'instance.leaving': (tx: Tx, id: string) => Promise<void>
    /** After that, with the application it was in. */
    'instance.left': (tx: Tx, applicationId: string) => Promise<void>
    /** It is in another application from now on. */
    'instance.moved': (tx: Tx, id: string, fromApplicationId: string) => Promise<void>
  }
}

export const instancesFeature = defineFeature({
  name: 'instances',
  shares: ['instances'],
  provides: {
    addresses: ({ config }) => createAddresses(config),
    lifecycle: defineLifecycle,
    instances: (services) =>
      createInstances(also(services, { isHaOn: services.switches.ha, ports: services.config.instancePorts })),
  },
  runs: {
    instances: ({ database, config: { instancePorts: range } }) => ({
      // Before instances are found that know their former addresses, and before anybody asks for one.
      async adopt() {
        if (range) await database.transact((tx) => assignPorts(tx, range, database.kind === 'postgres'))
      },
    }),
  },
  jobs: ({ lifecycle }) => lifecycle.operationJobs,
  routes: (services) => instanceHandlers(services.instances, services.audit, services.deployments),
  targets: ({ database }) => ({
    instance: {
      keys: ['instanceId'],
      async load({ instanceId }, userId) {
        const row = instanceId === undefined ? undefined : await loadInstance(database.read, instanceId, userId)
        return row && { teamId: row.team_id, role: roleThere(row), targetId: row.id, instance: row }
      },
    },
  }),
  hooks: { 'template.modules': () => keepModules },
  backup: {
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
  health: instanceChecks,
  figures: instanceFigures,
})
