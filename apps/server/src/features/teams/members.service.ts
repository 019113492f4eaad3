import { isTeamRole, limited, type Member, roleName, roles } from '@app/contract'
import type { Actor } from '../../platform/authz/actor.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Db, Tx } from '../../platform/db/tables.ts'
import type { Services } from '../../platform/features/services.ts'
import type { Bus } from '../../platform/events/bus.ts'
import { fail } from '../../platform/http/failure.ts'
import { userRef, type PersonRow } from '../account/index.ts'
import { type Audit, teamScope } from '../audit/index.ts'
import {
  deleteMember,
  insertMembers,
  lockOwners,
  lockOwnersBeside,
  membersAmong,
  updateMember,
} from './members.store.ts'
import { listMembers, listTeamIdsOf, type TeamRow } from './teams.store.ts'
import { memberView } from './teams.view.ts'

export interface MemberDependencies {
  database: Database
  bus: Bus
  clock: Clock
  audit: Audit
  baseUrl: string
  /** A member's editor sessions end with the rights by which they were opened. */
  hooks: Services['hooks']
  /** May people be members without a role in the team? */
  limitedAllowed(): Promise<boolean>
  editors: { signOut(tx: Tx, user: { userId: string; username: string }): Promise<void> }
}

/** @throws Failure invalid_team_role for a role that no member can have, or none while that is switched off. */
export async function checkMemberRole(role: number, limitedAllowed: () => Promise<boolean>): Promise<void> {
  if (!(role === limited ? await limitedAllowed() : isTeamRole(role)))
    throw fail('invalid_team_role', undefined, { field: 'role' })
}

export type Members = ReturnType<typeof createMembers>

/** The members of a team, and their roles. */
export function createMembers({
  database,
  bus,
  clock,
  audit,
  baseUrl,
  editors,
  hooks,
  limitedAllowed,
}: MemberDependencies) {
  const postgres = database.kind === 'postgres'

  async function find(team: TeamRow, userId: string): Promise<PersonRow & { role: number }> {
    const member = (await listMembers(database.read, team.id, userId))[0]
    if (!member) throw fail('not_found')
    return member
  }

  /** Changes a role, at once. @throws Failure for the only owner, who stays one */
  async function setRole(tx: Tx, actor: Actor, teamId: string, member: PersonRow & { role: number }, role: number) {
    const { id: userId } = member
    const owners = await lockOwners(tx, teamId, postgres)
    if (owners.includes(userId) && owners.length === 1)
      throw fail('invalid_request', 'The only owner of a team stays its owner', { status: 403 })
    await updateMember(tx, teamId, userId, role)
    await hooks.run('member.changed', tx, teamId, userId, role)
    // A limited member may have been more in an application.
    if (role < member.role || member.role === limited) await editors.signOut(tx, { userId, username: member.username })
    const updates = [{ key: 'role', old: roleName(member.role), new: roleName(role), dif: 'updated' as const }]
    const body = { user: { ...userRef(member), role: roleName(role) }, updates }
    await audit.record(tx, actor, 'team.user.role-changed', teamScope(teamId), body)
    await bus.publish(tx, { type: 'team', team: teamId, member: userId })
  }

  /** Takes a member out of a team. @throws Failure for the only owner, who cannot go */
  async function takeOut(tx: Tx, actor: Actor, teamId: string, member: PersonRow) {
    const { id: userId } = member
    const owners = await lockOwners(tx, teamId, postgres)
    if (owners.includes(userId) && owners.length === 1)
      throw fail('invalid_request', 'The only owner of a team cannot be removed')
    await deleteMember(tx, teamId, userId)
    await editors.signOut(tx, { userId, username: member.username })
    await audit.record(tx, actor, 'team.user.removed', teamScope(teamId), { user: userRef(member) })
    await bus.publish(tx, { type: 'team', team: teamId, member: userId })
  }

  return {
    setRole,
    takeOut,

    list: async (teamId: string): Promise<Member[]> =>
      (await listMembers(database.read, teamId)).map((row) => memberView(row, baseUrl)),

    among: async (teamId: string, userIds: readonly string[], db: Db = database.read) =>
      membersAmong(db, teamId, userIds),

    /** Adds somebody, or several to several teams; who is a member already stays as they are. */
    async add(tx: Tx, added: readonly { teamId: string; userId: string; role: number }[]): Promise<void> {
      const created_at = clock.now()
      await insertMembers(
        tx,
        added.map(({ teamId, userId, role }) => ({ team_id: teamId, user_id: userId, role, created_at })),
      )
      for (const { teamId, userId } of added) await bus.publish(tx, { type: 'team', team: teamId, member: userId })
    },

    /** Changes a role, at once. The only owner stays one. */
    async changeRole(actor: Actor, team: TeamRow, userId: string, role: number): Promise<void> {
      await checkMemberRole(role, limitedAllowed)
      const member = await find(team, userId)
      if (member.role === role) return
      await database.transact(async (tx) => {
        await setRole(tx, actor, team.id, member, role)
        await hooks.run('member.by-hand', tx, team.id, userId, role)
      })
    },

    /** Takes a member out of the team, who may be the one who asks. The only owner cannot go. */
    async remove(actor: Actor, team: TeamRow, userId: string): Promise<void> {
      const member = await find(team, userId)
      await database.transact(async (tx) => {
        await takeOut(tx, actor, team.id, member)
        await hooks.run('member.by-hand', tx, team.id, userId, undefined)
      })
    },

    /** Prepares the end of an account: its memberships go with it, and no team may be left without an owner. */
    async leaveAll(tx: Tx, userId: string): Promise<void> {
      const owners = await lockOwnersBeside(tx, userId, postgres)
      const shared = new Set(owners.filter((row) => row.user_id !== userId).map((row) => row.team_id))
      const alone = owners.find((row) => !shared.has(row.team_id))
      if (alone) {
        const reason = `The team “${alone.name}” has no other owner: make somebody else an owner, or delete it first`
        throw fail('unexpected_error', reason, { status: 400 })
      }
      for (const { team_id: team } of await listTeamIdsOf(tx, [userId], roles.none))
        await bus.publish(tx, { type: 'team', team, member: userId })
    },
  }
}
