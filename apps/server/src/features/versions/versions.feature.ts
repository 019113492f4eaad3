import { defineFeature } from '../../platform/features/feature.ts'
import { whole } from '../../platform/keys/sealed.columns.ts'
import { storageContext } from '../storage/index.ts'
import { versionHandlers } from './versions.routes.ts'
import { createVersions, type Versions } from './versions.service.ts'
import { deleteVersions } from './versions.store.ts'

declare module '../../platform/features/services.ts' {
  interface Services {
    versions: Versions
  }
}

export const versionsFeature = defineFeature({
  name: 'versions',
  provides: { versions: createVersions },
  routes: (services) => versionHandlers(services.versions, services.deployments),
  hooks: { 'instance.leaving': () => deleteVersions },
  sealed: [
    {
      table: 'flow_versions',
      key: ['id', 'instance_id'],
      column: 'credentials',
      find: whole(({ instance_id = '' }) => storageContext(instance_id, 'credentials')),
    },
  ],
})
