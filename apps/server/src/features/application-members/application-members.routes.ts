import { okay, type RouteIdOf } from '@app/contract'
import type { Handlers } from '../../platform/http/context.ts'
import type { ApplicationMembers } from './application-members.service.ts'

/** Roles in applications, which are not there while the feature is off. */
export function applicationMemberHandlers(members: ApplicationMembers): Handlers<RouteIdOf<'applicationMember'>> {
  return {
    async 'applicationMember.list'({ team }, { query }) {
      const list = await members.list(team.id, query.application)
      return { meta: {}, count: list.length, members: list }
    },
    async 'applicationMember.add'({ actor, team }, { params: { applicationId }, body }) {
      await members.add(actor, team, { applicationId, userId: body.user }, body.role)
      return okay
    },
    async 'applicationMember.changeRole'({ actor, team }, { params: { applicationId, userId }, body }) {
      await members.changeRole(actor, team, { applicationId, userId }, body.role)
      return okay
    },
    async 'applicationMember.remove'({ actor, team }, { params: { applicationId, userId } }) {
      await members.remove(actor, team, { applicationId, userId })
      return okay
    },
  }
}
