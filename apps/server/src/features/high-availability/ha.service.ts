import { haReplicas } from '@app/contract'
import type { Actor } from '../../platform/authz/actor.ts'
import { fail } from '../../platform/http/failure.ts'
import type { Tx } from '../../platform/db/tables.ts'
import { changes } from '../audit/index.ts'
import {
  instanceRef,
  type LifecycleDependencies,
  type Launch,
  type InstanceRow,
  updateInstance,
  instanceEvent,
  shownState,
} from '../instances/index.ts'

interface HaDependencies extends LifecycleDependencies {
  launch: Launch
}

export type Ha = ReturnType<typeof createHa>

/** High availability of instances: whether an instance is one process or two. */
export function createHa({ database, bus, clock, audit, driver, launch }: HaDependencies) {
  async function change(actor: Actor, instance: InstanceRow, replicas: number | null): Promise<void> {
    if (instance.replicas === replicas) return
    const also = async (tx: Tx) => {
      const row = await updateInstance(tx, instance.id, { replicas, updated_at: clock.now() })
      if (!row) throw fail('not_found')
      const auditScope = { type: 'project' as const, id: instance.id, team: instance.team_id }
      const updates = changes({ replicas: instance.replicas ?? 1 }, { replicas: replicas ?? 1 })
      await audit.record(tx, actor, 'project.ha.updated', auditScope, { project: instanceRef(instance), updates })
      await bus.publish(tx, { ...instanceEvent(row, clock.now()), changed: true })
    }
    if (shownState(instance, clock.now()) === 'suspended') return database.transact(also)
    await launch(instance, { state: 'restarting', kind: 'instance.restart', from: 'awake' }, { actor }, also)
  }

  return {
    /** @throws Failure invalid_ha_configuration for any number but 2, invalid_state while something else is done. */
    async enable(actor: Actor, instance: InstanceRow, replicas: number): Promise<void> {
      if (replicas !== haReplicas) throw fail('invalid_ha_configuration', undefined, { field: 'replicas' })
      if (!driver.pair) throw fail('invalid_ha_configuration', 'This platform runs one process of each instance only')
      await change(actor, instance, replicas)
    },
    /** @throws Failure invalid_state while something else is done to the instance. */
    disable: (actor: Actor, instance: InstanceRow): Promise<void> => change(actor, instance, null),
  }
}
