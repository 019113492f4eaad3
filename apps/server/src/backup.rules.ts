import { features } from './features.ts'
import type { BackupRules } from './platform/features/feature.ts'

/** Rules of the platform's own tables. `migrations` is written by itself. */
const ofPlatform: Required<BackupRules> = {
  leaveOut: ['migrations', 'servers'],
  // Jobs under way are not kept: the server brings each instance to its wanted state when it starts.
  change: { jobs: (row) => (row.state === 'queued' || row.state === 'running' ? undefined : row) },
}

/** Backup rules of all tables. */
export const backupRules: Required<BackupRules> = {
  leaveOut: [...ofPlatform.leaveOut, ...features.flatMap(({ backup }) => backup?.leaveOut ?? [])],
  change: Object.assign({}, ofPlatform.change, ...features.map(({ backup }) => backup?.change)),
}
