export { useSetTarget, useTarget, useSnapshotChanges, useSnapshots } from './snapshots.queries.ts'
export { RollbackDialog } from './components/RollbackDialog.tsx'
export { menuOf as snapshotMenu } from './snapshot-columns.tsx'
export { useSnapshotActions } from './use-snapshot-actions.tsx'
