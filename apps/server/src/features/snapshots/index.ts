export { snapshotHandlers } from './snapshots.routes.ts'
export { createSnapshots, dropSnapshots, type Snapshots } from './snapshots.service.ts'
export type { SnapshotRow } from './snapshots.store.ts'
