export { Mark } from './components/Mark.tsx'
export { UsersFrame } from './components/UsersFrame.tsx'
export { countNote } from './count-note.ts'
export { allInvitationsQuery, statsQuery, useAllTeams, useInvitationChange } from './users.queries.ts'
