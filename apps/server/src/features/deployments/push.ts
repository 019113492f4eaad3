import type { Actor } from '../../platform/authz/actor.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Tx } from '../../platform/db/tables.ts'
import { newId } from '../../platform/ids.ts'
import type { InstanceRow, Instances } from '../instances/index.ts'
import type { Snapshots } from '../snapshots/index.ts'
import { insertDeployment } from './deployments.store.ts'
import { changesOf } from './deployments.view.ts'
import type { Push } from './push.job.ts'
import type { pushKind, PushInput } from './push.kind.ts'

/** Begins pushes. What is brought is composed and kept at once, so the source may go on, or away. */
export function createPush(
  { clock, instances, snapshots }: { clock: Clock; instances: Pick<Instances, 'launch'>; snapshots: Snapshots },
  kind: ReturnType<typeof pushKind>,
) {
  /**
   * @throws Failure not_found, invalid_source_project, outdated, invalid_state while something else is done to the
   * instance.
   */
  return async (actor: Actor, instance: InstanceRow, input: PushInput): Promise<void> => {
    const plan = await kind.read(actor, instance, input)
    const { target, brings, memo } = plan
    const deployment = newId()
    const changes = changesOf(await snapshots.compare(target, brings))
    const description = 'What is being pushed; it goes when that has ended.'
    const carry = await snapshots.takeAutomatic(target, `Push from “${plan.what}”`, description, brings.held)
    const also = async (tx: Tx) => {
      await plan.guard(tx)
      const { id } = await carry(tx)
      await insertDeployment(tx, {
        id: deployment,
        instance_id: instance.id,
        kind: 'push',
        state: 'running',
        job_id: null,
        actor_name: actor.kind === 'user' ? actor.name : 'Forge Platform',
        snapshot_id: id,
        snapshot_name: plan.what,
        source_id: memo.source.id,
        source_name: memo.source.name,
        before_id: null,
        changes: JSON.stringify(changes),
        reason: null,
        log: null,
        created_at: clock.now(),
        ended_at: null,
      })
    }
    const flight = { state: 'deploying', kind: 'deployment.push', from: 'any' as const }
    const operation: Push = { actor, deployment, memo }
    await instances.launch(instance, flight, operation, also)
  }
}
