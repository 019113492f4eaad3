import { defineFeature } from '../../platform/features/feature.ts'
import { also } from '../../platform/features/services.ts'
import { metricsHandlers } from './metrics.routes.ts'
import { createMetrics, type Metrics } from './metrics.service.ts'

declare module '../../platform/features/services.ts' {
  interface Services {
    metrics: Metrics
  }
}

export const metricsFeature = defineFeature({
  name: 'metrics',
  provides: {
    metrics: (services) =>
      createMetrics(also(services, { home: services.config.home, takeRequests: services.traffic.takeRequests })),
  },
  routes: ({ metrics }) => metricsHandlers(metrics),
  runs: {
    metrics: ({ metrics }) => ({ start: (isHost) => (isHost ? metrics.start() : undefined), stop: metrics.stop }),
  },
})
