import type { UserActor } from '../../platform/authz/actor.ts'
import { defineFeature } from '../../platform/features/feature.ts'
import { also } from '../../platform/features/services.ts'
import { createRealtime, type Realtime } from './realtime.routes.ts'
import { watchedBy } from './watched.ts'

declare module '../../platform/features/services.ts' {
  interface Services {
    realtime: Realtime
  }
}

export const realtimeFeature = defineFeature({
  name: 'realtime',
  provides: {
    realtime: (services) =>
      createRealtime(
        also(services, {
          consoleOrigin: new URL(services.baseUrl).origin,
          watchedBy: async (userIds: string[]) => watchedBy(services, userIds),
          stillSignedIn: async (actors: UserActor[]) => services.ownSessions.signedIn(actors),
        }),
      ),
  },
  routes: ({ realtime }) => realtime.handlers,
  runs: { realtime: ({ realtime }) => ({ drain: realtime.close, stop: realtime.close }) },
})
