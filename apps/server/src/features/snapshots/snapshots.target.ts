import { startedNodes } from '@app/contract/flows-enabled'
import type { Actor } from '../../platform/authz/actor.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Db, Tx } from '../../platform/db/tables.ts'
import { readBlob } from '../../platform/blobs/blobs.ts'
import type { Bus } from '../../platform/events/bus.ts'
import { fail } from '../../platform/http/failure.ts'
import type { Audit } from '../audit/index.ts'
import { instanceRef, type InstanceRow } from '../instances/index.ts'
import { nodesIn } from '../flows/index.ts'
import { findTargetFlows, type SnapshotRow, writeTarget } from './snapshots.store.ts'

/** Said of flows that end what ran, and run nothing. */
export const noneEnabledSentence = 'These flows have no enabled nodes: nothing will run.'

interface TargetsDependencies {
  database: Database
  audit: Audit
  bus: Bus
}

/** The snapshots that the devices of instances shall run. */
export function createTargets({ database: { read }, audit, bus }: TargetsDependencies) {
  async function flows(instanceId: string, db: Db = read): Promise<string | undefined> {
    const hash = await findTargetFlows(db, instanceId)
    return hash === undefined ? undefined : readBlob(db, hash)
  }

  const refused = (why: string) =>
    fail('flows_not_started', `Nothing was changed. ${why} The request does not allow nodes.`, {
      field: 'allowStopped',
    })

  return {
    /** The flows of the target; undefined without one. */
    flows: async (instanceId: string) => flows(instanceId),

    /**
     * Agents take flows without an enabled node and ask nobody, so whoever sets the target is asked.
     * @throws Failure flows_not_started, unless `allowStopped` has `nodes`.
     */
    async checkEnabled(instanceId: string, next: string, allowStopped: readonly string[] = []): Promise<void> {
      if (allowStopped.includes('nodes') || startedNodes(nodesIn(next)).length > 0) return
      const before = await flows(instanceId)
      if (before === undefined || startedNodes(nodesIn(before)).length === 0) return
      throw refused(noneEnabledSentence)
    },

    /**
     * The same where devices that run flows come to an instance, whose target they then take. Without one their flows
     * end too.
     * @throws Failure flows_not_started, unless `allowStopped` has `nodes`.
     */
    async checkTaken(tx: Tx, instanceId: string, allowStopped: readonly string[] = []): Promise<void> {
      if (allowStopped.includes('nodes')) return
      const next = await flows(instanceId, tx)
      if (next === undefined) throw refused('The instance has no target snapshot: nothing will run.')
      if (startedNodes(nodesIn(next)).length === 0) throw refused(noneEnabledSentence)
    },

    /** Has the devices of the instance run this; undefined: nothing. */
    async write(
      tx: Tx,
      actor: Actor,
      row: Pick<InstanceRow, 'id' | 'name' | 'team_id'>,
      snapshot: Pick<SnapshotRow, 'id' | 'name'> | undefined,
    ): Promise<void> {
      await writeTarget(tx, row.id, snapshot?.id)
      await bus.publish(tx, { type: 'comms', instance: row.id })
      const scope = { type: 'project' as const, id: row.id, team: row.team_id }
      const body = {
        project: instanceRef(row),
        ...(snapshot ? { snapshot: { id: snapshot.id, name: snapshot.name } } : {}),
      }
      await audit.record(tx, actor, 'project.snapshot.device-target-set', scope, body)
    },
  }
}
