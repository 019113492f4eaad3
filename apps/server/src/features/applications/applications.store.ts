import type { ChangeOf } from '../../platform/db/columns.ts'
import { prepared } from '../../platform/db/prepared.ts'
import type { Reach } from '../../platform/authz/reach.ts'
import type { Db, Tx } from '../../platform/db/tables.ts'
import { type Standing, within } from '../application-members/index.ts'

export interface ApplicationRow {
  id: string
  team_id: string
  name: string
  created_at: number
  updated_at: number
  /** It was deleted while instances of it could still be had back; with the first of these it is there again. */
  deleted_at: number | null
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    applications: ApplicationRow
  }
}

export type ApplicationWithTeam = ApplicationRow & { team_name: string; team_slug: string }

/** An application with its team and the caller's roles, in one query. */
export async function loadApplication(
  db: Db,
  id: string,
  userId: string,
): Promise<(ApplicationWithTeam & Standing) | undefined> {
  return db
    .selectFrom('applications as application')
    .innerJoin('teams as team', 'team.id', 'application.team_id')
    .leftJoin('team_members as member', (join) =>
      join.onRef('member.team_id', '=', 'application.team_id').on('member.user_id', '=', userId),
    )
    .leftJoin('application_members as own', (join) =>
      join.onRef('own.application_id', '=', 'application.id').on('own.user_id', '=', userId),
    )
    .selectAll('application')
    .select(['team.name as team_name', 'team.slug as team_slug'])
    .select(['member.role', 'own.role as application_role'])
    .where('application.id', '=', id)
    .where('application.deleted_at', 'is', null)
    .executeTakeFirst()
}

export async function insertApplication(tx: Tx, row: ApplicationRow): Promise<void> {
  await tx.insertInto('applications').values(row).execute()
}

export async function updateApplication<Change extends Partial<ApplicationRow>>(
  tx: Tx,
  id: string,
  change: ChangeOf<ApplicationRow, Change>,
): Promise<void> {
  await tx.updateTable('applications').set(change).where('id', '=', id).execute()
}

/** Waits for whoever brings an instance into the application; what is looked at afterwards has it, or never will. */
export async function lockApplication(tx: Tx, id: string): Promise<void> {
  await tx.selectFrom('applications').select('id').where('id', '=', id).forNoKeyUpdate().execute()
}

/** False when it still has instances. While some of them can be had back it is only put out of sight. */
export async function deleteApplication(tx: Tx, id: string, now: number): Promise<boolean> {
  const hidden = await tx
    .updateTable('applications')
    .set({ deleted_at: now })
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .where((where) => {
      const instances = where.selectFrom('instances').select('id').where('application_id', '=', id)
      return where.and([where.exists(instances), where.not(where.exists(instances.where('deleted_at', 'is', null)))])
    })
    .executeTakeFirst()
  if (hidden.numUpdatedRows === 1n) return true
  const result = await tx
    .deleteFrom('applications')
    .where('id', '=', id)
    .where((where) =>
      where.not(where.exists(where.selectFrom('instances').select('id').where('application_id', '=', id))),
    )
    .executeTakeFirst()
  return result.numDeletedRows === 1n
}

export async function applicationExists(db: Db, id: string): Promise<boolean> {
  return (
    (await db
      .selectFrom('applications')
      .select('id')
      .where('id', '=', id)
      .where('deleted_at', 'is', null)
      .executeTakeFirst()) !== undefined
  )
}

const ofTeam = (db: Db, teamId: string) =>
  db.selectFrom('applications').selectAll().where('team_id', '=', teamId).where('deleted_at', 'is', null).orderBy('id')
const applicationsOf = prepared((db, { teamId }: { teamId: string }) => ofTeam(db, teamId))

/** The applications of a team within reach, oldest first. */
export async function listApplications(db: Db, teamId: string, reach: Reach): Promise<ApplicationRow[]> {
  const limits = within(reach, 'id')
  return limits ? ofTeam(db, teamId).where(limits).execute() : applicationsOf(db, { teamId })
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
