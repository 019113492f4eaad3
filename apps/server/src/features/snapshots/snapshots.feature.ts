import { variableContext } from '../instance-settings/index.ts'
import { defineFeature } from '../../platform/features/feature.ts'
import { variables, whole } from '../../platform/keys/sealed.columns.ts'
import { storageContext } from '../storage/index.ts'
import { snapshotHandlers } from './snapshots.routes.ts'
import { createSnapshots, dropSnapshots, type Snapshots } from './snapshots.service.ts'

declare module '../../platform/features/services.ts' {
  interface Services {
    snapshots: Snapshots
  }
}

export const snapshotsFeature = defineFeature({
  name: 'snapshots',
  shares: ['snapshots', 'device_targets'],
  provides: { snapshots: createSnapshots },
  routes: ({ snapshots }) => snapshotHandlers(snapshots),
  hooks: { 'instance.leaving': () => (tx, id) => dropSnapshots(tx, id) },
  sealed: [
    {
      table: 'snapshots',
      key: ['id', 'instance_id'],
      column: 'credentials_hash',
      isBlob: true,
      find: whole(({ instance_id = '' }) => storageContext(instance_id, 'credentials')),
    },
    {
      table: 'snapshots',
      key: ['id', 'instance_id'],
      column: 'settings_hash',
      isBlob: true,
      find: variables(({ instance_id = '' }, name) => variableContext(instance_id, name)),
    },
  ],
})
