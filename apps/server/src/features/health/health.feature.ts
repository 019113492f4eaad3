import { defineFeature } from '../../platform/features/feature.ts'
import type { Look } from '../../platform/health/check.ts'
import { healthHandlers } from './health.routes.ts'
import { createHealth, type HealthService } from './health.service.ts'
import { createOperationFigures } from './operation.figures.ts'
import { createPlatformChecks } from './platform.checks.ts'
import { serveProbes } from './probes.ts'
import { type Arrivals, createArrivals } from './proxy.checks.ts'

declare module '../../platform/features/services.ts' {
  interface Services {
    arrivals: Arrivals
    operation: ReturnType<typeof createOperationFigures>
    platformChecks: Look[]
    health: HealthService
  }
}

export const healthFeature = defineFeature({
  name: 'health',
  provides: {
    arrivals: ({ trust }) => createArrivals(trust),
    operation: createOperationFigures,
    platformChecks: createPlatformChecks,
    health: createHealth,
  },
  routes: ({ health }) => healthHandlers(health),
  serve: serveProbes,
  health: ({ platformChecks }) => platformChecks,
  figures: ({ operation }) => operation(),
})
