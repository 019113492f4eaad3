export { type ScimGroups } from './scim-groups.service.ts'
