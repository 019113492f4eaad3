export { Unsealable } from '../../platform/sealed/sealed.ts'
export { makeBackup } from './backup.make.ts'
export { NotRestored, restoreBackup } from './backup.restore.ts'
export { leftOut } from './backup.tables.ts'
