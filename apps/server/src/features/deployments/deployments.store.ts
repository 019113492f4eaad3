import type { DeploymentKind, FlowsVerdict } from '@app/contract'
import type { Actor } from '../../platform/authz/actor.ts'
import type { ExpressionBuilder, NotNull } from 'kysely'
import type { ChangeOf } from '../../platform/db/columns.ts'
import { contains } from '../../platform/db/like.ts'
import type { Portion } from '../../platform/db/page.ts'
import type { Db, Tables, Tx } from '../../platform/db/tables.ts'

export interface DeploymentRow {
  id: string
  instance_id: string
  kind: DeploymentKind
  state: 'running' | 'returning' | 'done' | 'failed'
  /** The job that does the work, once it has begun; its steps are those of the deployment. */
  job_id: string | null
  actor_name: string
  snapshot_id: string | null
  /** The name of what it brings, also where that is no snapshot. */
  snapshot_name: string
  /** For a push: the instance it came from, which may be gone. */
  source_id: string | null
  source_name: string | null
  /** The snapshot of what was there before. */
  before_id: string | null
  /** DeploymentChanges as JSON. */
  changes: string
  /** Record of its takeover, a Takeover as JSON. */
  takeover: string | null
  reason: string | null
  /** The last lines before it was given up; JSON. */
  log: string | null
  /** The new and the former parts while the deployment is under way: JSON with hashes of blobs, each counted. */
  incoming: string | null
  outgoing: string | null
  /** The report of the flows that served before, a Before as JSON; null: not asked yet. */
  flows_before: string | null
  /** When the process was started that served then, or the later of two; null: none, or not asked yet. */
  served_since: number | null
  /** FlowFaults as JSON. */
  faults: string | null
  warning: string | null
  /** Null: not known, or recorded by an earlier version of the platform. */
  verdict: FlowsVerdict | null
  /**
   * Terms for judging its flows at a later start, a Terms as JSON; null: nothing is left to judge. One deployment to an
   * instance has them at most: the one whose contents are in place.
   */
  terms: string | null
  /** Since when nothing acts, in an instance that is stopped for it. */
  still_since: number | null
  created_at: number
  ended_at: number | null
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    deployments: DeploymentRow
  }
}

/** The columns of a deployment that has just begun and that say nothing yet. */
export const begun = {
  state: 'running',
  job_id: null,
  snapshot_id: null,
  source_id: null,
  source_name: null,
  before_id: null,
  takeover: null,
  reason: null,
  log: null,
  incoming: null,
  outgoing: null,
  flows_before: null,
  served_since: null,
  faults: null,
  warning: null,
  verdict: null,
  terms: null,
  still_since: null,
  ended_at: null,
} satisfies Partial<DeploymentRow>

/** The actor as the record shows it. */
export const nameOf = (actor: Actor): string => (actor.kind === 'user' ? actor.name : 'Forge Platform')

export async function insertDeployment(tx: Tx, row: DeploymentRow): Promise<void> {
  await tx.insertInto('deployments').values(row).execute()
}

export async function updateDeployment<Change extends Partial<DeploymentRow>>(
  tx: Tx,
  id: string,
  change: ChangeOf<DeploymentRow, Change>,
): Promise<void> {
  await tx.updateTable('deployments').set(change).where('id', '=', id).execute()
}

export async function findDeployment(db: Db, id: string): Promise<DeploymentRow | undefined> {
  return db.selectFrom('deployments').selectAll().where('id', '=', id).executeTakeFirst()
}

/** A page of the deployments to an instance, newest first. */
export async function listDeployments(db: Db, instanceId: string, page: Portion & Sought): Promise<DeploymentRow[]> {
  let rows = db.selectFrom('deployments').selectAll().where('instance_id', '=', instanceId)
  rows = rows.where(isSought(page))
  if (page.cursor) rows = rows.where('id', '<', page.cursor)
  return rows.orderBy('id', 'desc').limit(page.limit).execute()
}

/** `problems`: those that failed, or left something to be looked at. `text`: whose names contain it, in any case. */
interface Sought {
  problems?: boolean | undefined
  text?: string | undefined
}

const named = ['actor_name', 'snapshot_name', 'source_name'] as const

const isSought =
  ({ problems, text }: Sought) =>
  (row: ExpressionBuilder<Tables, 'deployments'>) =>
    row.and([
      ...(problems
        ? [row.or([row('state', '=', 'failed'), row('faults', 'is not', null), row('warning', 'is not', null)])]
        : []),
      ...(text ? [row.or(named.map((name) => contains(row.fn('lower', [name]), text)))] : []),
    ])

export async function countDeployments(db: Db, instanceId: string, sought: Sought = {}): Promise<number> {
  const { n } = await db
    .selectFrom('deployments')
    .where('instance_id', '=', instanceId)
    .where(isSought(sought))
    .select((count) => count.fn.countAll<number>().as('n'))
    .executeTakeFirstOrThrow()
  return Number(n)
}

/** The deployment whose flows the next start of an instance judges. One that failed after it has left them in place. */
export async function findUnjudged(db: Db, instanceId: string): Promise<Unjudged | undefined> {
  const rows = db.selectFrom('deployments').selectAll().where('instance_id', '=', instanceId)
  const open = rows.where('terms', 'is not', null).$narrowType<{ terms: NotNull }>()
  return open.orderBy('id', 'desc').limit(1).executeTakeFirst()
}
export type Unjudged = DeploymentRow & { terms: string }

/** The last deployment to an instance, which is under way as long as it has not ended. */
export async function findLast(db: Db, instanceId: string): Promise<Pick<DeploymentRow, 'id' | 'ended_at'>> {
  const rows = db.selectFrom('deployments').select(['id', 'ended_at']).where('instance_id', '=', instanceId)
  return rows.orderBy('id', 'desc').limit(1).executeTakeFirstOrThrow()
}

/** No start judges the former deployments to an instance any more, since its contents are those of another. */
export async function closeUnjudged(tx: Tx, instanceId: string): Promise<void> {
  const rows = tx.updateTable('deployments').set({ terms: null }).where('instance_id', '=', instanceId)
  await rows.where('terms', 'is not', null).execute()
}

/** The last push to each of these instances that had one. */
export async function listLastPushes(db: Db, instanceIds: readonly string[]): Promise<DeploymentRow[]> {
  if (instanceIds.length === 0) return []
  const pushes = db.selectFrom('deployments').where('kind', '=', 'push').where('instance_id', 'in', instanceIds)
  const last = pushes.select((push) => push.fn.max('id').as('id')).groupBy('instance_id')
  return db.selectFrom('deployments').selectAll().where('id', 'in', last).execute()
}
