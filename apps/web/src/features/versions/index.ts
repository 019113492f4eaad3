export { RestoreDialog } from './components/RestoreDialog.tsx'
export { VersionChanges } from './components/VersionChanges.tsx'
export { originOf, whoOf } from './version-text.ts'
export { versionFile } from './versions.queries.ts'
