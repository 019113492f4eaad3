export { type Quotas } from './quotas.service.ts'
export { isAdmin } from './team-types.routes.ts'
export { type TeamTypes } from './team-types.service.ts'
export { teamTypeView } from './team-types.view.ts'
