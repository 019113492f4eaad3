export { statsHandlers } from './stats.routes.ts'
export { createStatistics } from './stats.service.ts'
export { createTelemetry } from './telemetry.ts'
