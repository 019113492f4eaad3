import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/tables.ts'

declare module '../../platform/db/tables.ts' {
  interface Tables {
    /** Instances that the platform suspended because nobody pays. */
    billing_suspensions: { instance_id: string; team_id: string; created_at: number }
  }
}

interface Named {
  id: string
  team_id: string
}

const instances = (db: Db) =>
  db
    .selectFrom('instances as instance')
    .innerJoin('subscriptions as subscription', 'subscription.team_id', 'instance.team_id')
    .where('instance.deleted_at', 'is', null)

/** Instances that are in use in teams whose subscription or trial has ended. */
export async function listUnpaid(db: Db, limit: number): Promise<Named[]> {
  return instances(db)
    .select(['instance.id', 'instance.team_id'])
    .where((where) =>
      where.or([
        where('subscription.status', '=', 'canceled'),
        where.and([where('subscription.status', '=', 'trial'), where('subscription.trial_over', '=', 1)]),
      ]),
    )
    .where((where) => where.or([where('instance.wanted', '!=', 'suspended'), where('instance.asleep', '=', 1)]))
    .where('instance.in_flight', 'is', null)
    .orderBy('instance.id')
    .limit(limit)
    .execute()
}

/** Instances that the platform suspended, and whose team pays again. */
export async function listPaidAgain(db: Db, limit: number): Promise<(Named & { wanted: string })[]> {
  return instances(db)
    .innerJoin('billing_suspensions as suspension', 'suspension.instance_id', 'instance.id')
    .select(['instance.id', 'instance.team_id', 'instance.wanted'])
    .where('subscription.status', 'in', ['active', 'past_due'])
    .where('instance.in_flight', 'is', null)
    .orderBy('instance.id')
    .limit(limit)
    .execute()
}

export async function insertSuspension(tx: Tx, { id, team_id }: Named, now: number): Promise<void> {
  await tx
    .insertInto('billing_suspensions')
    .values({ instance_id: id, team_id, created_at: now })
    .onConflict((conflict) => conflict.column('instance_id').doNothing())
    .execute()
}

export async function deleteSuspension(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('billing_suspensions').where('instance_id', '=', id).execute()
}

/** Number of instances that a team has already. */
export async function countInstances(db: Db, teamId: string): Promise<number> {
  const { n } = await db
    .selectFrom('instances')
    .select(sql<number>`count(*)`.as('n'))
    .where('team_id', '=', teamId)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(n)
}
