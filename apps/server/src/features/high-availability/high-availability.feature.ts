import { defineFeature } from '../../platform/features/feature.ts'
import { also } from '../../platform/features/services.ts'
import { haHandlers } from './ha.routes.ts'
import { createHa, type Ha } from './ha.service.ts'

declare module '../../platform/features/services.ts' {
  interface Services {
    ha: Ha
  }
}

export const highAvailabilityFeature = defineFeature({
  name: 'high-availability',
  provides: { ha: (services) => createHa(also(services, { launch: services.instances.launch })) },
  routes: ({ ha }) => haHandlers(ha),
})
