export { type InvitationLinks } from './invitations.links.ts'
export { type Invitations } from './invitations.service.ts'
