export { invitationHandlers } from './invitations.routes.ts'
export { createInvitationLinks, type InvitationLinks } from './invitations.links.ts'
export { createInvitations, type Invitations } from './invitations.service.ts'
