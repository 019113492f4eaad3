import { roles } from '@app/contract'
import { forgetDefaultTeam } from '../account/index.ts'
import type { Db, Tx } from '../../platform/db/tables.ts'

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
