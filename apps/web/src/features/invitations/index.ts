export { invitationsQuery, useInvitationCount } from './invitations.queries.ts'
export { teamInvitationsQuery, useInvite, useMakeLink } from './team-invitations.queries.ts'
