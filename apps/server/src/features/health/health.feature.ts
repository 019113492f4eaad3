import { defineFeature } from '../../platform/features/feature.ts'
import { also } from '../../platform/features/services.ts'
import { healthHandlers } from './health.routes.ts'
import { createHealth, type HealthService } from './health.service.ts'
import { createOperationFigures } from './operation.figures.ts'
import { type Arrivals, createArrivals } from './proxy.checks.ts'

declare module '../../platform/features/services.ts' {
  interface Services {
    arrivals: Arrivals
    operation: ReturnType<typeof createOperationFigures>
    health: HealthService
  }
}

export const healthFeature = defineFeature({
  name: 'health',
  provides: {
    arrivals: ({ trust }) => createArrivals(trust),
    operation: createOperationFigures,
    health: (services) => createHealth(also(services, { countMoved: services.instances.countMoved })),
  },
  routes: ({ health }) => healthHandlers(health),
})
