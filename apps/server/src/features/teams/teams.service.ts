import {
  limited,
  type PageQuery,
  reservedSlugs,
  roles,
  slugFor,
  type Team,
  type TeamCreate,
  type TeamPatch,
  type UserTeam,
} from '@app/contract'
import type { Actor, UserActor } from '../../platform/authz/actor.ts'
import type { Reach } from '../../platform/authz/reach.ts'
import type { Clock } from '../../platform/clock.ts'
import { type ColumnMap, columnsOf, fieldsOf } from '../../platform/db/columns.ts'
import type { Services } from '../../platform/features/services.ts'
import { type Database, whenBroken } from '../../platform/db/database.ts'
import { pageOf } from '../../platform/db/page.ts'
import type { Tx } from '../../platform/db/tables.ts'
import type { Bus } from '../../platform/events/bus.ts'
import { fail } from '../../platform/http/failure.ts'
import { newId } from '../../platform/ids.ts'
import type { ApplicationMembers } from '../application-members/index.ts'
import { type Audit, changes, platformScope, teamScope } from '../audit/index.ts'
import type { TeamTypes } from '../team-types/index.ts'
import {
  deleteTeam,
  findRole,
  findTeam,
  insertMember,
  insertTeam,
  listAllTeams,
  listMembersAmong,
  listTeamIdsOf,
  listTeamsOf,
  leftoversOf,
  slugsLike,
  slugTaken,
  type TeamRow,
  updateTeam,
} from './teams.store.ts'
import { teamView, userTeamView } from './teams.view.ts'

export interface TeamDependencies {
  database: Database
  bus: Bus
  clock: Clock
  audit: Audit
  teamTypes: TeamTypes
  hooks: Services['hooks']
  applicationMembers: Pick<ApplicationMembers, 'rolesOf'>
  switches: { billing: boolean }
  baseUrl: string
}

declare module '../../platform/http/context.ts' {
  interface Targets {
    team: { team: TeamRow; role: number }
  }
}

export type Teams = ReturnType<typeof createTeams>

/** The parts of a team that audit entries carry. */
export const teamRef = ({ id, name, slug }: Pick<TeamRow, 'id' | 'name' | 'slug'>) => ({ id, name, slug })

/** The column of each field that people may edit. */
const editable: ColumnMap<TeamPatch, TeamRow> = { name: 'name', slug: 'slug' }

const slugInUse = () => fail('invalid_slug', 'The slug is already in use', { field: 'slug' })

/** Teams and who belongs to them. */
export function createTeams(deps: TeamDependencies) {
  const { database, bus, clock, audit, teamTypes, hooks, applicationMembers, switches, baseUrl } = deps
  const { read } = database
  const view = () => ({ baseUrl, billingAt: switches.billing ? clock.now() : undefined })

  /** @throws Failure invalid_slug 409: reserved or taken. */
  async function checkSlug(slug: string, exceptId?: string): Promise<void> {
    if (reservedSlugs.includes(slug) || (await slugTaken(read, slug, exceptId))) {
      throw slugInUse()
    }
  }

  async function get(id: string, reach: Reach): Promise<Team> {
    const row = await findTeam(read, id, reach)
    if (!row) throw fail('not_found')
    // The payment of a team is no business of its limited members.
    return teamView(row, reach === 'all' ? view() : { baseUrl, billingAt: undefined })
  }

  async function insert(tx: Tx, actor: UserActor, input: TeamCreate & { slug: string }): Promise<TeamRow> {
    const now = clock.now()
    const row: TeamRow = {
      id: newId(),
      name: input.name,
      slug: input.slug,
      type_id: input.type,
      created_at: now,
      updated_at: now,
    }
    if (!(await insertTeam(tx, row))) throw slugInUse()
    await insertMember(tx, { team_id: row.id, user_id: actor.userId, role: roles.owner, created_at: now })
    await audit.record(tx, actor, 'team.created', { type: 'team', id: row.id, team: row.id }, { team: teamRef(row) })
    await audit.record(tx, actor, 'platform.team.created', platformScope, { team: teamRef(row) })
    await bus.publish(tx, { type: 'team', team: row.id, member: actor.userId })
    return row
  }

  return {
    get,
    insert,
    checkSlug,
    roleOf: async (teamId: string, userId: string) => findRole(read, teamId, userId),
    /** The members of the team among these people, with their names. */
    membersAmong: async (teamId: string, userIds: readonly string[]) => listMembersAmong(read, teamId, userIds),
    /** The teams of these people, with their role in each. */
    membershipsOf: async (userIds: readonly string[]) => listTeamIdsOf(read, userIds, roles.none),

    async ofUser(userId: string): Promise<UserTeam[]> {
      const rows = await listTeamsOf(read, userId)
      const differs = rows.some(({ application_roles: count }) => Number(count) > 0)
      const roleIn = differs ? await applicationMembers.rolesOf(userId) : undefined
      return rows.map((row) => ({
        ...userTeamView(row, row.role === limited ? { baseUrl, billingAt: undefined } : view()),
        ...(roleIn?.has(row.id) && { applicationRoles: roleIn.get(row.id) }),
      }))
    },

    /** All teams, a page at a time. */
    async list({ query, search, ...page }: PageQuery) {
      const text = (query ?? search ?? '').trim()
      const { rows, ...list } = await pageOf(page, async (portion) => listAllTeams(read, { ...portion, text }))
      return { ...list, teams: rows.map((row) => teamView(row, view())) }
    },

    /**
     * A team of one's own for somebody who belongs to none; undefined when they do, or when there is no team type.
     * The slug is the user name, or the first free one that begins with it.
     */
    async createPersonal(actor: UserActor): Promise<TeamRow | undefined> {
      const [type, mine] = [await teamTypes.first(), await listTeamIdsOf(read, [actor.userId], roles.none)]
      if (!type || mine.length > 0) return undefined
      const base = actor.username.toLowerCase()
      const taken = new Set([...(await slugsLike(read, base)), ...reservedSlugs])
      let slug = base
      for (let n = 1; taken.has(slug); n++) slug = `${base}-${n}`
      return database.transact(async (tx) => {
        const row = await insert(tx, actor, { name: `Team ${actor.name}`, slug, type: type.id })
        await hooks.run('team.personal', tx, actor, row)
        return row
      })
    },

    async create(actor: Actor, input: TeamCreate): Promise<Team> {
      if (actor.kind !== 'user') throw fail('unauthorized', undefined, { status: 403 })
      const slug = input.slug ?? slugFor(input.name)
      if (!slug)
        throw fail('invalid_slug', 'A slug cannot be made of this name: enter one', { status: 400, field: 'slug' })
      await teamTypes.choose(input.type)
      await checkSlug(slug)
      const row = await database.transact((tx) => insert(tx, actor, { ...input, slug }))
      return get(row.id, 'all')
    },

    async update(actor: Actor, team: TeamRow, patch: TeamPatch): Promise<Team> {
      if (patch.slug) await checkSlug(patch.slug, team.id)
      const change = database.transact(async (tx) => {
        const columns = columnsOf(patch, editable)
        await updateTeam(tx, team.id, { ...columns, updated_at: clock.now() })
        const updates = changes(fieldsOf(team, editable), fieldsOf(columns, editable))
        await audit.record(
          tx,
          actor,
          'team.settings.updated',
          { type: 'team', id: team.id, team: team.id },
          { team: teamRef(team), updates },
        )
        await bus.publish(tx, { type: 'team', team: team.id })
      })
      await change.catch(whenBroken('unique', slugInUse))
      return get(team.id, 'all')
    },

    /** Nothing stops in a team that has more than the type allows. @throws Failure invalid_team_type. */
    async changeType(actor: Actor, team: TeamRow, typeId: string): Promise<Team> {
      const [before, after] = [await teamTypes.get(team.type_id, false), await teamTypes.choose(typeId)]
      if (before.id !== after.id)
        await database.transact(async (tx) => {
          await updateTeam(tx, team.id, { type_id: after.id, updated_at: clock.now() })
          const updates = changes({ type: before.name }, { type: after.name })
          await audit.record(tx, actor, 'team.type.changed', teamScope(team.id), { team: teamRef(team), updates })
          await bus.publish(tx, { type: 'team', team: team.id })
        })
      return get(team.id, 'all')
    },

    /** @throws Failure invalid_request while it has applications [TSET-08], or instances that can still be had back. */
    async remove(actor: Actor, team: TeamRow): Promise<void> {
      const full = () => fail('invalid_request', 'Delete the applications of this team first')
      const kept = () => fail('invalid_request', 'Remove the recently deleted instances of this team permanently first')
      const change = database.transact(async (tx) => {
        const leftovers = await leftoversOf(tx, team.id)
        if (leftovers.applications) throw full()
        if (leftovers.deleted) throw kept()
        const body = { team: teamRef(team) }
        await audit.record(tx, actor, 'team.deleted', { type: 'team', id: team.id, team: team.id }, body)
        await audit.record(tx, actor, 'platform.team.deleted', platformScope, body)
        await bus.publish(tx, { type: 'team', team: team.id })
        await deleteTeam(tx, team.id)
      })
      await change.catch(whenBroken('reference', full))
    },
  }
}
