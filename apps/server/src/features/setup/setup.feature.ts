import { defineFeature } from '../../platform/features/feature.ts'
import { also } from '../../platform/features/services.ts'
import { createSetupRestore, type Restoring, type SetupRestore } from './setup.restore.ts'
import { setupHandlers } from './setup.routes.ts'
import { createSetup, type Setup } from './setup.service.ts'

declare module '../../platform/features/services.ts' {
  interface Platform {
    /** Restore of a backup in the place of this platform. */
    restoring: Restoring
  }
  interface Services {
    setup: Setup
    setupRestore: SetupRestore
  }
}

export const setupFeature = defineFeature({
  name: 'setup',
  provides: {
    setup: (services) => createSetup(also(services, { count: services.stats.record })),
    setupRestore: (services) => createSetupRestore(also(services, { isDone: services.setup.isDone })),
  },
  runs: {
    // Not waited for: the platform answers meanwhile.
    setup: ({ setup }) => ({ start: (isHost) => void (isHost && setup.prepare()) }),
  },
  routes: ({ setup, setupRestore, sessionCookie: session, browserCookie: browser }) =>
    setupHandlers(setup, setupRestore, { session, browser }),
})
