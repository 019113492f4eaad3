export { applicationMembersQuery } from './application-members.queries.ts'
