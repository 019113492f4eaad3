import { nodesIn } from '../flows/index.ts'
import type { DeploymentChanges } from '@app/contract'
import type { Clock } from '../../platform/clock.ts'
import type { Tx } from '../../platform/db/tables.ts'
import { newId } from '../../platform/ids.ts'
import { ownSettings } from '../catalogue/index.ts'
import type { CopiedInstance } from '../instances/index.ts'
import { nameDuplicate } from '../versions/index.ts'
import { begun, insertDeployment, nameOf } from './deployments.store.ts'
import type { Terms } from './judging.later.ts'

/** Records that a new instance gets the flows of another, so that its first start judges them. */
export const recordCopy =
  (clock: Clock) =>
  async (tx: Tx, { row, actor, source, flows }: CopiedInstance): Promise<void> => {
    if (flows === undefined) return
    const { palette, env = [] } = ownSettings(row)
    const now = clock.now()
    const id = newId()
    await nameDuplicate(tx, row.id, id)
    await insertDeployment(tx, {
      ...begun,
      id,
      instance_id: row.id,
      kind: 'duplicate',
      state: 'done',
      actor_name: nameOf(actor),
      snapshot_name: source.name,
      source_id: source.id,
      source_name: source.name,
      changes: JSON.stringify({
        nodes: { added: nodesIn(flows).length, changed: 0, moved: 0, removed: 0 },
        modules: (palette?.modules ?? []).map(({ name }) => name),
        env: env.map(({ name }) => name),
        settings: [],
      } satisfies DeploymentChanges),
      verdict: 'unjudged',
      terms: JSON.stringify({ allowed: [], refusesErrors: false } satisfies Terms),
      created_at: now,
      ended_at: now,
    })
  }
