export { applicationHandlers } from './applications.routes.ts'
export { type Applications, createApplications } from './applications.service.ts'
export { loadApplication } from './applications.store.ts'
