import { defineFeature } from '../../platform/features/feature.ts'
import { backupHandlers } from './backup.routes.ts'
import { type BackupService, createBackups } from './backup.service.ts'
import { backupChecks, backupFigures } from './backup.health.ts'

declare module '../../platform/features/services.ts' {
  interface Services {
    backups: BackupService
  }
}

export const backupFeature = defineFeature({
  name: 'backup',
  provides: { backups: createBackups },
  routes: ({ backups }) => backupHandlers(backups),
  runs: { backups: ({ backups }) => ({ start: backups.start, drain: backups.stop, stop: backups.stop }) },
  jobs: ({ backups }) => [backups.makeJob],
  backup: { leaveOut: ['backup_records'] },
  health: backupChecks,
  figures: backupFigures,
})
