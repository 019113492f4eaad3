import { localUrl } from '../../config.ts'
import { defineFeature } from '../../platform/features/feature.ts'
import { also } from '../../platform/features/services.ts'
import { createLost } from './hosting.lost.ts'
import { createOrigin } from './hosting.origin.ts'
import { createHost, type Host } from './hosting.service.ts'
import { hostingChecks, hostingFigures } from './hosting.health.ts'

declare module '../../platform/features/services.ts' {
  interface Services {
    /** Address of the platform as instances on this machine reach it. */
    platformUrl: string
    host: Host
  }
}

export const hostingFeature = defineFeature({
  name: 'hosting',
  provides: {
    platformUrl: ({ config }) => localUrl(config),
    host: (services) =>
      createHost(
        also(services, {
          home: services.config.home,
          lost: createLost(services),
          blocked: createOrigin({ home: services.config.home, driver: services.driver }),
          stopAll: () => services.monitor.stopAll(),
          startAll: () => services.monitor.startAll(),
          times: services.config.hostTimes,
        }),
      ),
  },
  runs: {
    host: ({ host }) => ({ stop: host.stop }),
  },
  backup: { leaveOut: ['instance_host'] },
  health: hostingChecks,
  figures: hostingFigures,
})
