import type { ChangeOf } from '../../platform/db/columns.ts'
import { jsonColumn } from '../../platform/db/json.ts'
import type { Db, Flag, Tx } from '../../platform/db/tables.ts'
import * as z from 'zod/mini'

/** The subscription of a team, or its trial. A team that never had either has no row. */
export interface SubscriptionRow {
  team_id: string
  status: string
  customer_id: string | null
  subscription_id: string | null
  trial_ends_at: number | null
  trial_type_id: string | null
  /** Milliseconds. */
  trial_length: number | null
  /** Days before the end at which the last reminder was sent. */
  trial_warned: number | null
  /** The end was dealt with. */
  trial_over: Flag
  /** The quantities the provider charged when it was last asked, by product. */
  quantities: string
  /** Difference between the provider and us, in a sentence. */
  difference: string | null
  /** When the difference was corrected; null: it stays. */
  difference_at: number | null
  /** Why the provider could not be asked. */
  fault: string | null
  attempts: number
  /** When it is looked at again, in milliseconds. */
  due_at: number
  created_at: number
  updated_at: number
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    subscriptions: SubscriptionRow
  }
}

/** Quantities by product. */
export const readQuantities = jsonColumn('subscriptions.quantities', z.record(z.string(), z.number()))

export async function findSubscription(db: Db, teamId: string): Promise<SubscriptionRow | undefined> {
  return db.selectFrom('subscriptions').selectAll().where('team_id', '=', teamId).executeTakeFirst()
}

/** The same, and nobody else changes it until the transaction has ended. */
export async function lockSubscription(
  tx: Tx,
  teamId: string,
  postgres: boolean,
): Promise<SubscriptionRow | undefined> {
  const row = tx.selectFrom('subscriptions').selectAll().where('team_id', '=', teamId)
  return (postgres ? row.forUpdate() : row).executeTakeFirst()
}

/** Makes the row of a team that has none. False when there is one. */
export async function insertSubscription(tx: Tx, row: SubscriptionRow): Promise<boolean> {
  const result = await tx
    .insertInto('subscriptions')
    .values(row)
    .onConflict((conflict) => conflict.column('team_id').doNothing())
    .executeTakeFirst()
  return result.numInsertedOrUpdatedRows === 1n
}

export async function updateSubscription<Change extends Partial<SubscriptionRow>>(
  tx: Tx,
  teamId: string,
  change: ChangeOf<SubscriptionRow, Change>,
): Promise<void> {
  await tx.updateTable('subscriptions').set(change).where('team_id', '=', teamId).execute()
}

/** Removes all that is kept of a team that is gone. */
export async function deleteSubscription(tx: Tx, teamId: string): Promise<void> {
  for (const table of ['subscriptions', 'billing_checkouts', 'billing_events', 'billing_changes'] as const)
    await tx.deleteFrom(table).where('team_id', '=', teamId).execute()
}

/** The id of a team that exists, or of a deleted one whose subscription is still to be ended. */
export async function findKnown(db: Db, teamId: string): Promise<string | undefined> {
  return ((await findSubscription(db, teamId)) ?? (await findTeamBrief(db, teamId))) ? teamId : undefined
}

/** The team that a customer or a subscription of the provider belongs to. */
export async function findTeamOf(
  db: Db,
  { subscription, customer }: { subscription?: string; customer?: string },
): Promise<string | undefined> {
  const rows = db.selectFrom('subscriptions').select('team_id')
  const bySubscription =
    subscription === undefined ? undefined : await rows.where('subscription_id', '=', subscription).executeTakeFirst()
  if (bySubscription || customer === undefined) return bySubscription?.team_id
  return (await rows.where('customer_id', '=', customer).executeTakeFirst())?.team_id
}

/** Teams that pay. */
export async function listPaid(db: Db): Promise<SubscriptionRow[]> {
  return db.selectFrom('subscriptions').selectAll().where('status', 'in', ['active', 'past_due']).execute()
}

/** Subscriptions that are to be looked at by now, and those of deleted teams; the longest waiting first. */
export async function listDue(db: Db, now: number, limit: number): Promise<{ team_id: string }[]> {
  return db
    .selectFrom('subscriptions')
    .select('team_id')
    .where((where) =>
      where.or([
        where('due_at', '<=', now),
        where.and([
          where('attempts', '=', 0),
          where.not(
            where.exists(
              where.selectFrom('teams').select('teams.id').whereRef('teams.id', '=', 'subscriptions.team_id'),
            ),
          ),
        ]),
      ]),
    )
    .orderBy('due_at')
    .limit(limit)
    .execute()
}

/** Trials whose end comes before `until` or that have ended and were not dealt with. */
export async function listEndingTrials(db: Db, until: number, limit: number): Promise<SubscriptionRow[]> {
  return db
    .selectFrom('subscriptions')
    .selectAll()
    .where('trial_ends_at', '<=', until)
    .where('trial_over', '=', 0)
    .orderBy('trial_ends_at')
    .limit(limit)
    .execute()
}

/** Subscriptions that administrators should look at, with the slugs of their teams. */
export async function listTroubled(db: Db, limit: number) {
  return db
    .selectFrom('subscriptions as subscription')
    .leftJoin('teams as team', 'team.id', 'subscription.team_id')
    .select(['subscription.team_id', 'subscription.difference', 'subscription.difference_at'])
    .select(['subscription.fault', 'team.slug'])
    .where((where) => where.or([where('difference', 'is not', null), where('fault', 'is not', null)]))
    .orderBy('subscription.team_id')
    .limit(limit)
    .execute()
}

/** The name and slug of a team, and the addresses of its owners. */
export async function findTeamBrief(db: Db, teamId: string) {
  return db.selectFrom('teams').select(['id', 'name', 'slug']).where('id', '=', teamId).executeTakeFirst()
}

/** Can instances of this type be created? */
export async function isTypeActive(db: Db, typeId: string): Promise<boolean> {
  const type = await db.selectFrom('instance_types').select('active').where('id', '=', typeId).executeTakeFirst()
  return type?.active === 1
}

/** The owners of a team. */
export async function listOwners(db: Db, teamId: string, role: number): Promise<{ name: string; email: string }[]> {
  return db
    .selectFrom('team_members as member')
    .innerJoin('users as user', 'user.id', 'member.user_id')
    .select(['user.name', 'user.email'])
    .where('member.team_id', '=', teamId)
    .where('member.role', '=', role)
    .where('user.suspended', '=', 0)
    .execute()
}
