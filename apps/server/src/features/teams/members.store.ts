import { TeamType } from '@app/contract'
import { jsonColumn } from '../../platform/db/json.ts'
import { roles } from '@app/contract'
import { forgetDefaultTeam } from '../account/index.ts'
import type { Db, Tx } from '../../platform/db/tables.ts'

const limitsOf = jsonColumn('team_types.properties', TeamType.shape.properties)

/** Locks the owners of a team until the transaction ends: when two owners leave at once, one of them is the last. */
export async function lockOwners(tx: Tx, teamId: string, postgres: boolean): Promise<string[]> {
  const owners = tx
    .selectFrom('team_members')
    .select('user_id')
    .where('team_id', '=', teamId)
    .where('role', '=', roles.owner)
    .orderBy('user_id')
  return (await (postgres ? owners.forUpdate() : owners).execute()).map((row) => row.user_id)
}

/** The owners of every team that this user owns, held in the same way, with the names of the teams. */
export async function lockOwnersBeside(
  tx: Tx,
  userId: string,
  postgres: boolean,
): Promise<{ team_id: string; user_id: string; name: string }[]> {
  const owners = tx
    .selectFrom('team_members as owner')
    .innerJoin('teams as team', 'team.id', 'owner.team_id')
    .select(['owner.team_id', 'owner.user_id', 'team.name'])
    .where('owner.role', '=', roles.owner)
    .where('owner.team_id', 'in', (q) =>
      q.selectFrom('team_members').select('team_id').where('user_id', '=', userId).where('role', '=', roles.owner),
    )
    .orderBy('owner.team_id')
    .orderBy('owner.user_id')
  return (postgres ? owners.forUpdate('owner') : owners).execute()
}

export async function updateMember(tx: Tx, teamId: string, userId: string, role: number): Promise<void> {
  await tx
    .updateTable('team_members')
    .set({ role })
    .where('team_id', '=', teamId)
    .where('user_id', '=', userId)
    .execute()
}

/** Takes a member out, and the team from where it is their default. */
export async function deleteMember(tx: Tx, teamId: string, userId: string): Promise<void> {
  await tx.deleteFrom('team_members').where('team_id', '=', teamId).where('user_id', '=', userId).execute()
  await forgetDefaultTeam(tx, teamId, userId)
}

/** Adds members where they are not yet. */
export async function insertMembers(
  tx: Tx,
  rows: readonly { team_id: string; user_id: string; role: number; created_at: number }[],
): Promise<void> {
  if (rows.length === 0) return
  await tx
    .insertInto('team_members')
    .values([...rows])
    .onConflict((conflict) => conflict.columns(['team_id', 'user_id']).doNothing())
    .execute()
}

/** Holds a team until the transaction ends, so that its members are counted by one at a time. */
export async function lockTeam(tx: Tx, teamId: string, postgres: boolean): Promise<void> {
  const team = tx.selectFrom('teams').select('id').where('id', '=', teamId)
  await (postgres ? team.forUpdate() : team).execute()
}

/** How many members a team has, and how many its type allows; no limit is 0. */
export async function countMembers(db: Db, teamId: string): Promise<{ members: number; most: number }> {
  const row = await db
    .selectFrom('teams as team')
    .innerJoin('team_types as type', 'type.id', 'team.type_id')
    .select(['type.properties'])
    .select((q) =>
      q
        .selectFrom('team_members')
        .whereRef('team_id', '=', 'team.id')
        .select((count) => count.fn.countAll<number>().as('n'))
        .as('members'),
    )
    .where('team.id', '=', teamId)
    .executeTakeFirst()
  const { userLimit = 0 } = row ? limitsOf(row.properties, teamId) : {}
  return { members: Number(row?.members ?? 0), most: Math.max(0, userLimit) }
}

/** Which of these users are members of the team. */
export async function membersAmong(db: Db, teamId: string, userIds: readonly string[]): Promise<Set<string>> {
  if (userIds.length === 0) return new Set()
  const rows = await db
    .selectFrom('team_members')
    .select('user_id')
    .where('team_id', '=', teamId)
    .where('user_id', 'in', userIds)
    .execute()
  return new Set(rows.map((row) => row.user_id))
}
