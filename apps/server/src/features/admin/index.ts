export { adminHandlers } from './admin.routes.ts'
export { createAdministration } from './admin.service.ts'
