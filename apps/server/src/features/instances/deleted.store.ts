import type { Db, Tx } from '../../platform/db/tables.ts'
import type { InstanceRow } from './instances.store.ts'

function deleted(db: Db) {
  return db
    .selectFrom('instances as instance')
    .innerJoin('applications as application', 'application.id', 'instance.application_id')
    .innerJoin('teams as team', 'team.id', 'instance.team_id')
    .selectAll('instance')
    .select(['application.name as application_name', 'team.name as team_name', 'team.slug as team_slug'])
    .where('instance.deleted_at', 'is not', null)
}
export type DeletedInstance = NonNullable<Awaited<ReturnType<typeof findDeleted>>>

export async function findDeleted(db: Db, id: string) {
  return deleted(db).where('instance.id', '=', id).executeTakeFirst()
}

/** The deleted instances of a team, the last one first. */
export async function listDeleted(db: Db, teamId: string): Promise<DeletedInstance[]> {
  return deleted(db)
    .where('instance.team_id', '=', teamId)
    .orderBy('instance.deleted_at', 'desc')
    .orderBy('instance.id', 'desc')
    .execute()
}

/** What was deleted before this time, the oldest first. */
export async function listExpired(
  db: Db,
  before: number,
  limit: number,
): Promise<Pick<InstanceRow, 'id' | 'team_id'>[]> {
  return db
    .selectFrom('instances')
    .select(['id', 'team_id'])
    .where('deleted_at', '<=', before)
    .orderBy('deleted_at')
    .limit(limit)
    .execute()
}

/** Changes an instance that is deleted, which nobody else does until the transaction ends; undefined when it is not. */
export async function updateDeleted(
  tx: Tx,
  id: string,
  change: Partial<InstanceRow>,
): Promise<InstanceRow | undefined> {
  return tx
    .updateTable('instances')
    .set(change)
    .where('id', '=', id)
    .where('deleted_at', 'is not', null)
    .returningAll()
    .executeTakeFirst()
}

/** Ends everything by which a deleted instance, or somebody in its editor, could go on speaking for it. */
export async function deleteAccess(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('tokens').where('instance_id', '=', id).execute()
  await tx.deleteFrom('oauth_requests').where('instance_id', '=', id).execute()
}

/**
 * An application that was deleted is there again with its first instance. One that is there is written as well, so that
 * who deletes it comes before this transaction or after it. To be called before the instance is written.
 */
export async function bringBackApplication(tx: Tx, id: string): Promise<void> {
  await tx.updateTable('applications').set({ deleted_at: null }).where('id', '=', id).execute()
}

/** A deleted application goes for good with the last of its instances. */
export async function dropEmptyApplication(tx: Tx, id: string): Promise<void> {
  await tx
    .deleteFrom('applications')
    .where('id', '=', id)
    .where('deleted_at', 'is not', null)
    .where((where) =>
      where.not(where.exists(where.selectFrom('instances').select('id').where('application_id', '=', id))),
    )
    .execute()
}
