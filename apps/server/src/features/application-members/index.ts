export { type ApplicationMembers, roleKey } from './application-members.service.ts'
export { roleThere, type Standing, within } from './standing.ts'
