import { limits, type Deployment, type PageQuery } from '@app/contract'
import type { Actor } from '../../platform/authz/actor.ts'
import { fail } from '../../platform/http/failure.ts'
import { newId } from '../../platform/ids.ts'
import type { InstanceRow, Instances } from '../instances/index.ts'
import {
  countDeployments,
  type DeploymentRow,
  insertDeployment,
  listDeployments,
  listLastPushes,
} from './deployments.store.ts'
import { changesOf, deploymentView } from './deployments.view.ts'
import { definePush } from './push.job.ts'
import { type PushDependencies, pushKind } from './push.kind.ts'
import { createPush } from './push.ts'
import { defineRollback, type Rollback, type RollbackDependencies } from './rollback.job.ts'

export type Deployments = ReturnType<typeof createDeployments>

/** New contents for instances. Each deployment is on record from the moment it is asked for. */
export function createDeployments(
  deps: RollbackDependencies & { instances: Pick<Instances, 'launch'> } & Omit<PushDependencies, 'read'>,
) {
  const { database, clock, jobs, snapshots } = deps
  defineRollback(deps)
  const push = pushKind({ ...deps, read: database.read })
  definePush(deps, push)

  return {
    async list(instance: Pick<InstanceRow, 'id' | 'name'>, { cursor, limit = limits.pageMax }: PageQuery) {
      const rows = await listDeployments(database.read, instance.id, { cursor, limit })
      const found = await jobs.find(rows.flatMap(({ job_id }) => job_id ?? []))
      const steps = new Map(found.map((job) => [job.id, job.steps]))
      return {
        meta: rows.length === limit ? { next_cursor: rows.at(-1)!.id } : {},
        count: await countDeployments(database.read, instance.id),
        deployments: rows.map((row): Deployment => deploymentView(row, instance, steps.get(row.job_id ?? '') ?? [])),
      }
    },

    /** Puts a snapshot in the place of what an instance holds. @throws Failure invalid_snapshot, invalid_state. */
    async rollback(actor: Actor, instance: InstanceRow, snapshotId: string): Promise<void> {
      const snapshot = await snapshots.find(instance.id, snapshotId)
      if (!snapshot) throw fail('invalid_snapshot', undefined, { field: 'snapshot' })
      const changes = changesOf(await snapshots.changes(instance.id, snapshot.id))
      const operation: Rollback = { actor, deployment: newId(), snapshot: { id: snapshot.id, name: snapshot.name } }
      const flight = { state: 'importing', kind: 'deployment.rollback', from: 'any' as const }
      await deps.instances.launch(instance, flight, operation, (tx) =>
        insertDeployment(tx, {
          id: operation.deployment,
          instance_id: instance.id,
          kind: 'rollback',
          state: 'running',
          job_id: null,
          actor_name: actor.kind === 'user' ? actor.name : 'Forge Platform',
          snapshot_id: snapshot.id,
          snapshot_name: snapshot.name,
          source_id: null,
          source_name: null,
          before_id: null,
          changes: JSON.stringify(changes),
          reason: null,
          log: null,
          created_at: clock.now(),
          ended_at: null,
        }),
      )
    },

    /** What pushing one instance to another as pipelines do would change. @throws Failure not_found. */
    pushChanges: push.preview,

    /** The last push to each of these instances, by instance. */
    async lastPushes(ids: readonly string[]): Promise<Map<string, DeploymentRow>> {
      return new Map((await listLastPushes(database.read, ids)).map((row) => [row.instance_id, row]))
    },

    push: createPush(deps, push),
  }
}
