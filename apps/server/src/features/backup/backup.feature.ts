import { defineFeature } from '../../platform/features/feature.ts'
import { backupHandlers } from './backup.routes.ts'
import { type BackupService, createBackups } from './backup.service.ts'

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
  backup: { leaveOut: ['backup_records'] },
})
