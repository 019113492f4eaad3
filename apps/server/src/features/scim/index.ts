export { type ScimGroups } from './scim-groups.service.ts'
export { suspendedByHand } from './scim-users.store.ts'
