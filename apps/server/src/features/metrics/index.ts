export { metricsHandlers } from './metrics.routes.ts'
export { createMetrics } from './metrics.service.ts'
