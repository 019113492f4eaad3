import type { ChangeOf } from '../../platform/db/columns.ts'
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

/** Lists the instances deleted before this time, the oldest first. */
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
export async function updateDeleted<Change extends Partial<InstanceRow>>(
  tx: Tx,
  id: string,
  change: ChangeOf<InstanceRow, Change>,
): Promise<InstanceRow | undefined> {
  return tx
    .updateTable('instances')
    .set(change)
    .where('id', '=', id)
    .where('deleted_at', 'is not', null)
    .returningAll()
    .executeTakeFirst()
}
