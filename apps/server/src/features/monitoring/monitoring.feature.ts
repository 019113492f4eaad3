import { defineFeature } from '../../platform/features/feature.ts'
import { createMonitor, type Monitor } from './monitoring.service.ts'

declare module '../../platform/features/services.ts' {
  interface Services {
    monitor: Monitor
  }
}

export const monitoringFeature = defineFeature({
  name: 'monitoring',
  provides: { monitor: (services) => createMonitor(services, services.instances, services.lifecycle) },
  runs: {
    monitor: ({ monitor, host, log }) => ({
      // Before the server listens, since a request to an instance that is not found yet would be refused.
      adopt: monitor.start,
      /** Processes of this home would run beside those of the server that has taken them over. */
      async start(isHost) {
        if (isHost) return
        const ended = await monitor.endLeftovers()
        if (ended > 0) log.warn({ ended }, 'ended processes of instances that another server runs now')
        await host.cleared()
      },
      stop: monitor.stop,
    }),
  },
})
