import { defineFeature } from '../../platform/features/feature.ts'
import { createInvitationLinks, type InvitationLinks } from './invitations.links.ts'
import { invitationHandlers } from './invitations.routes.ts'
import { createInvitations, type Invitations } from './invitations.service.ts'

declare module '../../platform/features/services.ts' {
  interface Services {
    /** May people without an account be invited? */
    externalAllowed(): Promise<boolean>
    invitations: Invitations
    invitationLinks: InvitationLinks
  }
}

export const invitationsFeature = defineFeature({
  name: 'invitations',
  shares: ['invitations'],
  provides: {
    externalAllowed:
      ({ settings }) =>
      async () =>
        (await settings.all())['team:user:invite:external'],
    invitations: createInvitations,
    invitationLinks: createInvitationLinks,
  },
  routes: ({ invitations, invitationLinks }) => invitationHandlers(invitations, invitationLinks),
})
