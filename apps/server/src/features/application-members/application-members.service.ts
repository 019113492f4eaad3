import { type ApplicationMember, isApplicationRole, mayDiffer, roleName, roles } from '@app/contract'
import type { Actor } from '../../platform/authz/actor.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Db, Tx } from '../../platform/db/tables.ts'
import type { Bus } from '../../platform/events/bus.ts'
import type { Services } from '../../platform/features/services.ts'
import { fail } from '../../platform/http/failure.ts'
import { userSummaryView } from '../account/index.ts'
import { type Audit, teamScope } from '../audit/index.ts'
import type { Editors } from '../runtime/index.ts'
import {
  deleteApplicationMember,
  deleteRolesOf,
  findCandidate,
  findStanding,
  insertApplicationMember,
  listApplicationMembers,
  listPeopleOf,
  listRolesOf,
  listStandingsOnDevices,
  listWithinReach,
  updateApplicationMember,
} from './application-members.store.ts'
import { callerRole, roleThere } from './standing.ts'

export interface ApplicationMemberDependencies {
  database: Database
  bus: Bus
  clock: Clock
  audit: Audit
  baseUrl: string
  hooks: Services['hooks']
  /** Editor sessions end with the rights by which they were opened. */
  editors: Editors
}

declare module '../../platform/events/bus.ts' {
  interface ServerEvents {
    /** These people, or without names any, may see other objects of applications than before. */
    reach: { users?: string[] }
  }
}

type Team = { id: string }
/** A person and an application. */
interface Named {
  applicationId: string
  userId: string
}
type Candidate = Named & { teamId: string } & NonNullable<Awaited<ReturnType<typeof findCandidate>>>
/** The reason of a change that nobody made by hand. */
type Info = Record<string, unknown>

export type ApplicationMembers = ReturnType<typeof createApplicationMembers>

/** Roles of members in single applications, beside the role in the team. */
export function createApplicationMembers(deps: ApplicationMemberDependencies) {
  const { database, bus, clock, audit, editors, hooks, baseUrl } = deps
  const { read } = database

  /** @throws Failure not_found for a person or an application that is none of the team. */
  async function find(tx: Tx, teamId: string, { applicationId, userId }: Named): Promise<Candidate> {
    const found = await findCandidate(tx, { teamId, applicationId, userId })
    if (!found) throw fail('not_found')
    return { ...found, teamId, applicationId, userId }
  }

  /**
   * Gives a role in an application, changes it, or without one takes it away. What the person had open with a higher one
   * ends. False: somebody else did the same in this moment.
   */
  async function set(tx: Tx, actor: Actor, found: Candidate, role: number | undefined, info?: Info): Promise<boolean> {
    const { applicationId, userId, teamId: team_id, username, application_role: before } = found
    const user = { id: userId, name: found.name, username, role: roleName(role ?? before ?? roles.none) }
    const body = {
      team: { id: team_id, name: found.team_name, slug: found.team_slug },
      application: { id: applicationId, name: found.application_name },
      user,
      ...(info && { info }),
    }
    if (role === undefined) {
      if (!(await deleteApplicationMember(tx, applicationId, userId))) return false
    } else if (before === null) {
      const row = { application_id: applicationId, user_id: userId, team_id, role, created_at: clock.now() }
      if (!(await insertApplicationMember(tx, row))) return false
    } else await updateApplicationMember(tx, applicationId, userId, role)
    if (role === undefined || role < (before ?? found.role)) await editors.signOut(tx, { userId, username })
    if (role === undefined) await audit.record(tx, actor, 'application.member.removed', teamScope(team_id), body)
    else if (before === null) await audit.record(tx, actor, 'application.member.added', teamScope(team_id), body)
    else {
      const updates = [{ key: 'role', old: roleName(before), new: roleName(role), dif: 'updated' as const }]
      await audit.record(tx, actor, 'application.member.role-changed', teamScope(team_id), { ...body, updates })
    }
    // Everything that holds a right open looks again.
    await bus.publish(tx, { type: 'team', team: team_id, member: userId })
    return true
  }

  /** Rules take back nothing that somebody has decided about. */
  const byHand = (tx: Tx, { applicationId, userId }: Named) =>
    hooks.run('application-member.by-hand', tx, applicationId, userId)

  function checkRole(role: number): void {
    if (!isApplicationRole(role)) throw fail('invalid_team_role', undefined, { field: 'role' })
  }

  /** The role of a person on what belongs to an application; undefined when it does not exist for them. */
  async function roleIn(applicationId: string, userId: string, db: Db = read): Promise<number | undefined> {
    const standing = await findStanding(db, applicationId, userId)
    return standing && roleThere(standing)
  }

  return {
    roleIn,

    /** The same for whoever calls: calls that name a second application judge it by this. */
    async roleOfCaller(actor: Actor, applicationId: string, db: Db = read): Promise<number | undefined> {
      const standing = await findStanding(db, applicationId, actor.kind === 'user' ? actor.userId : '')
      return standing && callerRole(actor, standing)
    },

    /** The roles of these people on these devices, by `roleKey`. One query, however many. */
    async rolesOnDevices(userIds: Iterable<string>, deviceIds: Iterable<string>): Promise<Map<string, number>> {
      const rows = await listStandingsOnDevices(read, [...new Set(userIds)], [...new Set(deviceIds)])
      return new Map(
        rows.flatMap((row) => {
          const role = roleThere(row)
          return role === undefined ? [] : [[roleKey(row.user_id, row.device_id), role] as const]
        }),
      )
    },

    /** The ids of all that these limited members see, by person and team. */
    async idsWithinReach(userIds: readonly string[]): Promise<Map<string, Map<string, Set<string>>>> {
      const all = new Map<string, Map<string, Set<string>>>()
      for (const { user_id, team_id, id } of await listWithinReach(read, userIds)) {
        const teams = all.get(user_id) ?? new Map<string, Set<string>>()
        all.set(user_id, teams.set(team_id, (teams.get(team_id) ?? new Set()).add(id)))
      }
      return all
    },

    /** The roles of a person in single applications, by team and application. */
    async rolesOf(userId: string): Promise<Map<string, Record<string, number>>> {
      const teams = Map.groupBy(await listRolesOf(read, userId), ({ team_id }) => team_id)
      const byApplication = (rows: { application_id: string; role: number }[]) =>
        Object.fromEntries(rows.map(({ application_id, role }) => [application_id, role]))
      return new Map([...teams].map(([team, rows]) => [team, byApplication(rows)]))
    },

    async list(teamId: string, applicationId?: string): Promise<ApplicationMember[]> {
      const rows = await listApplicationMembers(read, teamId, applicationId)
      return rows.map((row) => ({
        ...userSummaryView(row, baseUrl),
        application: { id: row.application_id, name: row.application_name },
        role: row.application_role,
        teamRole: row.role,
      }))
    },

    /** @throws Failure not_found, invalid_team_role; invalid_request for whom the role would change nothing. */
    async add(actor: Actor, team: Team, named: Named, role: number): Promise<void> {
      checkRole(role)
      await database.transact(async (tx) => {
        const found = await find(tx, team.id, named)
        if (!mayDiffer(found.role))
          throw fail(
            'invalid_request',
            found.role === roles.owner
              ? 'Owners of the team own every application'
              : 'Change the role of this member in the team first: dashboard-only members see no applications',
            { field: 'user' },
          )
        if (found.application_role !== null || !(await set(tx, actor, found, role)))
          throw fail('invalid_request', 'This member has a role in the application already', { field: 'user' })
        await byHand(tx, named)
      })
    },

    /** @throws Failure not_found, invalid_team_role. */
    async changeRole(actor: Actor, team: Team, named: Named, role: number): Promise<void> {
      checkRole(role)
      await database.transact(async (tx) => {
        const found = await find(tx, team.id, named)
        if (found.application_role === null) throw fail('not_found')
        if (found.application_role === role) return
        await set(tx, actor, found, role)
        await byHand(tx, named)
      })
    },

    /** From then on the role in the team counts, if there is one. @throws Failure not_found. */
    async remove(actor: Actor, team: Team, named: Named): Promise<void> {
      await database.transact(async (tx) => {
        const found = await find(tx, team.id, named)
        if (found.application_role === null || !(await set(tx, actor, found, undefined))) throw fail('not_found')
        await byHand(tx, named)
      })
    },

    /**
     * Gives somebody a role by a rule, or changes it. False: somebody else changed it in this moment.
     * @throws Failure not_found for who is no member, and for an application that is deleted.
     */
    async give(tx: Tx, actor: Actor, teamId: string, named: Named, role: number, info: Info): Promise<boolean> {
      const found = await find(tx, teamId, named)
      return mayDiffer(found.role) && set(tx, actor, found, role, info)
    },

    /** Takes a role away by a rule, also in an application that can be had back. False: it is gone already. */
    async takeAway(tx: Tx, actor: Actor, teamId: string, named: Named, info: Info): Promise<boolean> {
      const found = await findCandidate(tx, { teamId, ...named }, 'deleted too')
      if (!found || found.application_role === null) return false
      return set(tx, actor, { ...found, ...named, teamId }, undefined, info)
    },

    /** A member got another role in the team: one beside which there are none in applications takes these away. */
    async teamRoleChanged(tx: Tx, teamId: string, userId: string, role: number): Promise<void> {
      if (!mayDiffer(role)) await deleteRolesOf(tx, teamId, userId)
    },

    /** An instance leaves an application: those with a role there may lose their right to it. */
    async instanceMoved(tx: Tx, instanceId: string, fromApplicationId: string): Promise<void> {
      const people = await listPeopleOf(tx, fromApplicationId)
      if (people.length === 0) return
      await editors.signOutOf(tx, instanceId, people)
      await bus.publish(tx, { type: 'reach', users: people.map(({ userId }) => userId) }, { type: 'reach' })
    },
  }
}

/** The key of a person and a device. */
export const roleKey = (userId: string, deviceId: string): string => `${userId} ${deviceId}`
