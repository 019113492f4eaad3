import { type Invitation, okay, type RouteIdOf } from '@app/contract'
import type { Handlers } from '../../platform/http/context.ts'
import type { InvitationLinks } from './invitations.links.ts'
import type { Invitations } from './invitations.service.ts'

const unpaged = (invitations: Invitation[]) => ({ meta: {}, count: invitations.length, invitations })

export function invitationHandlers(
  invitations: Invitations,
  links: InvitationLinks,
): Handlers<RouteIdOf<'invitation'>> {
  return {
    'invitation.mine': async ({ actor }) => unpaged(await invitations.mine(actor)),
    async 'invitation.accept'({ actor }, { params }) {
      await invitations.accept(actor, params.invitationId)
      return okay
    },
    async 'invitation.reject'({ actor }, { params }) {
      await invitations.reject(actor, params.invitationId)
      return okay
    },
    'invitation.listOfTeam': async ({ team }) => unpaged(await invitations.ofTeam(team.id)),
    'invitation.create': async ({ actor, team }, { body }) => invitations.create(actor, team, body.user, body.role),
    async 'invitation.withdraw'({ actor, team }, { params }) {
      await invitations.withdraw(actor, team.id, params.invitationId)
      return okay
    },
    async 'invitation.resend'({ actor, team }, { params }) {
      await invitations.resend(actor, team, params.invitationId)
      return okay
    },
    'invitation.createLink': async ({ actor, team }, { body }) => links.create(actor, team, body.role),
    'invitation.readLink': async (_context, { body }) => links.read(body.code),
    'invitation.acceptLink': async ({ actor }, { body }) => links.accept(actor, body.code),
    'invitation.list': async () => unpaged(await invitations.all()),
  }
}
