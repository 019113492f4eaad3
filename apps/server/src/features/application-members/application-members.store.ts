import type { Db, Tx } from '../../platform/db/tables.ts'
import { type PersonRow, joinedPerson } from '../account/index.ts'
import type { Standing } from './standing.ts'

export interface ApplicationMemberRow {
  application_id: string
  user_id: string
  /** The team of both: the role ends with the membership. */
  team_id: string
  role: number
  created_at: number
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    application_members: ApplicationMemberRow
  }
}

/** The roles of a person in an application and in its team; undefined for an application that is not there. */
export async function findStanding(db: Db, applicationId: string, userId: string): Promise<Standing | undefined> {
  return db
    .selectFrom('applications as application')
    .leftJoin('team_members as member', (join) =>
      join.onRef('member.team_id', '=', 'application.team_id').on('member.user_id', '=', userId),
    )
    .leftJoin('application_members as own', (join) =>
      join.onRef('own.application_id', '=', 'application.id').on('own.user_id', '=', userId),
    )
    .select(['member.role', 'own.role as application_role'])
    .where('application.id', '=', applicationId)
    .executeTakeFirst()
}

/** The roles of these people on each of these devices, of those in whose team they are. */
export async function listStandingsOnDevices(
  db: Db,
  userIds: readonly string[],
  deviceIds: readonly string[],
): Promise<(Standing & { user_id: string; device_id: string })[]> {
  if (userIds.length === 0 || deviceIds.length === 0) return []
  return db
    .selectFrom('devices as device')
    .innerJoin('team_members as member', 'member.team_id', 'device.team_id')
    .leftJoin('instances as instance', (join) =>
      join.onRef('instance.id', '=', 'device.instance_id').on('instance.deleted_at', 'is', null),
    )
    .leftJoin('application_members as own', (join) =>
      join.onRef('own.application_id', '=', 'instance.application_id').onRef('own.user_id', '=', 'member.user_id'),
    )
    .select(['device.id as device_id', 'member.user_id', 'member.role', 'own.role as application_role'])
    .where('device.id', 'in', deviceIds)
    .where('member.user_id', 'in', userIds)
    .execute()
}

export type ListedApplicationMember = PersonRow & {
  application_id: string
  application_name: string
  application_role: number
  role: number
}

/** The roles in single applications of a team, by name; of one application when it is named. */
export async function listApplicationMembers(
  db: Db,
  teamId: string,
  applicationId?: string,
): Promise<ListedApplicationMember[]> {
  let rows = db
    .selectFrom('application_members as own')
    .innerJoin('applications as application', 'application.id', 'own.application_id')
    .innerJoin('team_members as member', (join) =>
      join.onRef('member.team_id', '=', 'own.team_id').onRef('member.user_id', '=', 'own.user_id'),
    )
    .innerJoin('users as user', 'user.id', 'own.user_id')
    .select(joinedPerson)
    .select(['application.id as application_id', 'application.name as application_name'])
    .select(['own.role as application_role', 'member.role'])
    .where('own.team_id', '=', teamId)
    .where('application.deleted_at', 'is', null)
    .orderBy('user.name')
    .orderBy('user.id')
    .orderBy('application.id')
  if (applicationId !== undefined) rows = rows.where('own.application_id', '=', applicationId)
  return rows.execute()
}

/** A member of the team and the application, as the role is about to be given; undefined when either is none of it. */
export async function findCandidate(
  tx: Tx,
  { teamId, applicationId, userId }: { teamId: string; applicationId: string; userId: string },
  which: 'there' | 'deleted too' = 'there',
) {
  const candidates = tx
    .selectFrom('team_members as member')
    .innerJoin('users as user', 'user.id', 'member.user_id')
    .innerJoin('teams as team', 'team.id', 'member.team_id')
    .innerJoin('applications as application', 'application.team_id', 'member.team_id')
    .leftJoin('application_members as own', (join) =>
      join.onRef('own.application_id', '=', 'application.id').onRef('own.user_id', '=', 'member.user_id'),
    )
    .select(['user.id', 'user.name', 'user.username', 'member.role', 'own.role as application_role'])
    .select(['application.name as application_name', 'team.name as team_name', 'team.slug as team_slug'])
    .where('member.team_id', '=', teamId)
    .where('member.user_id', '=', userId)
    .where('application.id', '=', applicationId)
  return (which === 'there' ? candidates.where('application.deleted_at', 'is', null) : candidates).executeTakeFirst()
}

/** False when there is one already. */
export async function insertApplicationMember(tx: Tx, row: ApplicationMemberRow): Promise<boolean> {
  const result = await tx
    .insertInto('application_members')
    .values(row)
    .onConflict((conflict) => conflict.columns(['application_id', 'user_id']).doNothing())
    .executeTakeFirst()
  return result.numInsertedOrUpdatedRows === 1n
}

export async function updateApplicationMember(
  tx: Tx,
  applicationId: string,
  userId: string,
  role: number,
): Promise<void> {
  await tx
    .updateTable('application_members')
    .set({ role })
    .where('application_id', '=', applicationId)
    .where('user_id', '=', userId)
    .execute()
}

/** False when it is gone already. */
export async function deleteApplicationMember(tx: Tx, applicationId: string, userId: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('application_members')
    .where('application_id', '=', applicationId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return numDeletedRows === 1n
}

/** Takes every role of a member in applications of the team away. */
export async function deleteRolesOf(tx: Tx, teamId: string, userId: string): Promise<void> {
  await tx.deleteFrom('application_members').where('team_id', '=', teamId).where('user_id', '=', userId).execute()
}

/** The roles of a person in single applications. */
export async function listRolesOf(db: Db, userId: string) {
  return db
    .selectFrom('application_members')
    .select(['team_id', 'application_id', 'role'])
    .where('user_id', '=', userId)
    .execute()
}

/** The people with a role in an application, and their user names. */
export async function listPeopleOf(tx: Tx, applicationId: string): Promise<{ userId: string; username: string }[]> {
  return tx
    .selectFrom('application_members as own')
    .innerJoin('users as user', 'user.id', 'own.user_id')
    .select(['user.id as userId', 'user.username'])
    .where('own.application_id', '=', applicationId)
    .orderBy('user.id')
    .execute()
}

/** The applications, instances and devices that limited members of teams see. */
export async function listWithinReach(db: Db, userIds: readonly string[]) {
  const applications = db
    .selectFrom('application_members as own')
    .select(['own.user_id', 'own.team_id', 'own.application_id as id'])
    .where('own.user_id', 'in', userIds)
  const instances = db
    .selectFrom('application_members as own')
    .innerJoin('instances as instance', 'instance.application_id', 'own.application_id')
    .select(['own.user_id', 'own.team_id', 'instance.id'])
    .where('own.user_id', 'in', userIds)
  const devices = db
    .selectFrom('application_members as own')
    .innerJoin('instances as instance', 'instance.application_id', 'own.application_id')
    .innerJoin('devices as device', 'device.instance_id', 'instance.id')
    .select(['own.user_id', 'own.team_id', 'device.id'])
    .where('own.user_id', 'in', userIds)
    .where('instance.deleted_at', 'is', null)
  return applications.unionAll(instances).unionAll(devices).execute()
}
