import { features } from './features.ts'
import type { BackupRules } from './platform/features/feature.ts'

/** Rules of the platform's own tables. `migrations` is written by itself. */
const ofPlatform: Required<BackupRules> = {
  leaveOut: ['migrations', 'servers'],
  // What was under way is not: the instance is brought to what is wanted of it when the server starts.
  change: { jobs: (row) => (row.state === 'queued' || row.state === 'running' ? undefined : row) },
}

/** How every table is treated by backups. */
export const backupRules: Required<BackupRules> = {
  leaveOut: [...ofPlatform.leaveOut, ...features.flatMap(({ backup }) => backup?.leaveOut ?? [])],
  change: Object.assign({}, ofPlatform.change, ...features.map(({ backup }) => backup?.change)),
}
