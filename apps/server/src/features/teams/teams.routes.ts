import { okay, type RouteIdOf } from '@app/contract'
import type { Handlers } from '../../platform/http/context.ts'
import type { Audit } from '../audit/index.ts'
import type { Teams } from './teams.service.ts'

export function teamHandlers(teams: Teams, audit: Audit): Handlers<RouteIdOf<'team'>> {
  return {
    async 'team.mine'({ actor }) {
      const mine = await teams.ofUser(actor.userId)
      return { meta: {}, count: mine.length, teams: mine }
    },
    async 'team.types'(_context, { query }) {
      const types = await teams.types(query.filter ?? 'active')
      return { meta: {}, count: types.length, types }
    },
    'team.create': async ({ actor }, { body }) => teams.create(actor, body),
    async 'team.checkSlug'(_context, { body }) {
      await teams.checkSlug(body.slug)
      return okay
    },
    'team.get': async ({ team }) => teams.get(team.id),
    'team.getBySlug': async ({ team }) => teams.get(team.id),
    'team.update': async ({ actor, team }, { body }) => teams.update(actor, team, body),
    'team.role': async ({ role }) => ({ role }),
    async 'team.members'({ team }) {
      const members = await teams.members(team.id)
      return { meta: {}, count: members.length, members }
    },
    'team.auditLog': async ({ team }, { query }) => audit.list({ type: 'team', id: team.id }, query),
  }
}
