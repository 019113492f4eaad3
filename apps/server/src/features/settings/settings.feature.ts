import type { Switches } from '@app/contract'
import { defineFeature } from '../../platform/features/feature.ts'
import { also } from '../../platform/features/services.ts'
import { licenceHandlers } from './licence.routes.ts'
import { createLicences, type Licences } from './licence.service.ts'
import { settingsHandlers } from './settings.routes.ts'
import { createSettings, type Settings } from './settings.service.ts'

declare module '../../platform/features/services.ts' {
  interface Services {
    /** The switches of the operator, off where the driver cannot do it. */
    switches: Switches
    settings: Settings
    licences: Licences
  }
}

export const settingsFeature = defineFeature({
  name: 'settings',
  provides: {
    // Two processes of an instance need a driver that can.
    switches: ({ config, driver }) => ({
      ...config.features,
      ha: config.features.ha && driver.pair !== undefined,
      // Nothing is charged, and nothing asked for, until a payment provider is named.
      billing: config.features.billing && config.billing !== undefined,
    }),
    settings: (services) =>
      createSettings(
        also(services, {
          mail: services.mail.settings,
          gaps: services.driver.capabilities.gaps,
          offers: services.driver.offers,
          features: services.switches,
        }),
      ),
    licences: createLicences,
  },
  routes: ({ settings, licences, catalogue }) => ({
    ...settingsHandlers(settings, catalogue.hasType),
    ...licenceHandlers(licences),
  }),
})
