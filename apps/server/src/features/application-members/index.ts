export { type ApplicationMembers, roleKey } from './application-members.service.ts'
export { callerRole, roleThere, type Standing, within } from './standing.ts'
