export { healthHandlers } from './health.routes.ts'
export { createHealth } from './health.service.ts'
export { type Phase, serveProbes } from './probes.ts'
export { createArrivals } from './proxy.checks.ts'
