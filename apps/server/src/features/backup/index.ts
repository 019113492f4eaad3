export { Unsealable } from './archive.errors.ts'
export { judgeBackups } from './backup.health.ts'
export { makeBackup, type Told } from './backup.make.ts'
export { inspectBackup, NotRestored, restoreBackup, RestoreUnfinished } from './backup.restore.ts'
