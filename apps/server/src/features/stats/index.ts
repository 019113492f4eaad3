export { statsHandlers } from './stats.routes.ts'
export { createStatistics } from './stats.service.ts'
