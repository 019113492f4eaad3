export { invitationsQuery, useInvitationCount } from './invitations.queries.ts'
export { inviteeName } from './inviter.ts'
