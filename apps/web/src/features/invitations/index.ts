export { invitationsQuery, useInvitationCount } from './invitations.queries.ts'
