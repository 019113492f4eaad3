export { invitationHandlers } from './invitations.routes.ts'
export { createInvitations, type Invitations } from './invitations.service.ts'
