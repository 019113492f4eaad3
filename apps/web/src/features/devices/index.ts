export { TargetDialog } from './components/TargetDialog.tsx'
export { useDevice } from './devices.queries.ts'
export { variableNotices, warnOfDevice } from './notices.ts'
