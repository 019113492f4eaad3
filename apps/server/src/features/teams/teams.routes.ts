import { okay, type RouteIdOf, type TeamSummary } from '@app/contract'
import type { Actor } from '../../platform/authz/actor.ts'
import type { Handlers } from '../../platform/http/context.ts'
import type { Audit, AuditExport } from '../audit/index.ts'
import { isAdmin, type TeamTypes } from '../team-types/index.ts'
import type { Members } from './members.service.ts'
import type { Teams } from './teams.service.ts'

export function teamHandlers(
  teams: Teams,
  members: Members,
  teamTypes: TeamTypes,
  audit: Audit,
  auditExport: AuditExport,
  /** The address where the payment details of a new team are entered, if it needs any. */
  checkoutOf: (actor: Actor, team: Pick<TeamSummary, 'id' | 'name' | 'slug'>) => Promise<string | undefined>,
): Handlers<RouteIdOf<'team'>> {
  return {
    async 'team.mine'({ actor }) {
      const mine = await teams.ofUser(actor.userId)
      return { meta: {}, count: mine.length, teams: mine }
    },
    async 'team.types'({ actor }, { query }) {
      const types = await teamTypes.list(query.filter ?? 'active', isAdmin(actor))
      return { meta: {}, count: types.length, types }
    },
    'team.list': async (_context, { query }) => teams.list(query),
    async 'team.create'({ actor }, { body }) {
      const team = await teams.create(actor, body)
      const billingURL = await checkoutOf(actor, team)
      return { ...team, ...(billingURL !== undefined && { billingURL }) }
    },
    async 'team.checkSlug'(_context, { body }) {
      await teams.checkSlug(body.slug)
      return okay
    },
    'team.get': async ({ team, reach }) => teams.get(team.id, reach),
    'team.getBySlug': async ({ team, reach }) => teams.get(team.id, reach),
    'team.update': async ({ actor, team }, { body }) => teams.update(actor, team, body),
    'team.changeType': async ({ actor, team }, { body }) => teams.changeType(actor, team, body.type),
    async 'team.delete'({ actor, team }) {
      await teams.remove(actor, team)
      return okay
    },
    'team.role': async ({ role }) => ({ role }),
    async 'team.members'({ team }) {
      const list = await members.list(team.id)
      return { meta: {}, count: list.length, members: list }
    },
    async 'team.changeRole'({ actor, team }, { params, body }) {
      await members.changeRole(actor, team, params.userId, body.role)
      return okay
    },
    async 'team.removeMember'({ actor, team }, { params }) {
      await members.remove(actor, team, params.userId)
      return okay
    },
    'team.auditLog': async ({ team, role }, { query }) => audit.list({ type: 'team', id: team.id }, query, { role }),
    'team.exportAuditLog': async ({ actor, team, reply }, { query }) =>
      auditExport.send(reply, actor, { type: 'team', id: team.id }, query),
  }
}
