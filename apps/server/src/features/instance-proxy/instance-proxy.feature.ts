import { defineFeature } from '../../platform/features/feature.ts'
import { also } from '../../platform/features/services.ts'
import { createDirectory, type Directory } from './proxy.directory.ts'
import { createPorts, type Ports } from './proxy.ports.ts'
import { portChecks } from './proxy.ports.health.ts'
import { createProtection, type Protection } from './proxy.protection.ts'
import { createTraffic, type Traffic } from './proxy.traffic.ts'

declare module '../../platform/features/services.ts' {
  interface Services {
    directory: Directory
    ports: Ports
    protection: Protection
    traffic: Traffic
  }
}

export const instanceProxyFeature = defineFeature({
  name: 'instance-proxy',
  provides: {
    directory: (services) =>
      createDirectory(
        also(services, {
          wake: services.instances.wake,
          baseUrl: services.config.baseUrl,
          instanceDomain: services.config.instanceDomain,
          portOf: services.ports.portOf,
        }),
      ),
    ports: createPorts,
    protection: createProtection,
    traffic: createTraffic,
  },
  runs: { directory: ({ directory }) => ({ stop: directory.close }), ports: ({ ports }) => ({ drain: ports.close }) },
  health: portChecks,
  hooks: {
    'template.changed': ({ protection }) => protection.templateChanged,
    'template.saved':
      ({ protection }) =>
      async () =>
        protection.enforceAll(),
  },
})
