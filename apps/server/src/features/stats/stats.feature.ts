import type { StoredSettings } from '@app/contract'
import type { Tx } from '../../platform/db/tables.ts'
import { defineFeature } from '../../platform/features/feature.ts'
import { also } from '../../platform/features/services.ts'
import { statisticsCaller } from './stats.callers.ts'
import { statsHandlers } from './stats.routes.ts'
import { createStatistics, type Statistics } from './stats.service.ts'
import { createTelemetry } from './telemetry.ts'

declare module '../../platform/features/services.ts' {
  interface Services {
    /** Sends the anonymous counts to the vendor, where that is wanted. */
    telemetry(): Promise<void>
    stats: Statistics
  }
}

export const statsFeature = defineFeature({
  name: 'stats',
  provides: {
    telemetry: (services) =>
      createTelemetry(
        also(services, {
          settings: services.settings.all,
          remember: (tx: Tx, told: NonNullable<StoredSettings['telemetry:told']>) =>
            services.settings.set(tx, 'telemetry:told', told),
        }),
      ),
    stats: (services) =>
      createStatistics(
        also(services, {
          limits: async () => (await services.settings.all()).license?.limits,
          noteToken: (tx: Tx, present: boolean) => services.settings.set(tx, 'platform:stats:token', present),
          report: services.telemetry,
        }),
      ),
  },
  routes: ({ stats }) => statsHandlers(stats),
  callers: () => ({ statistics: statisticsCaller }),
  runs: { stats: ({ stats }) => stats },
})
