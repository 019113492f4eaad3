export { OperationsFrame } from './components/OperationsFrame.tsx'
export { backupsQuery, useDeleteBackup, useMakeBackup, useRetryBackup } from './operations.queries.ts'
