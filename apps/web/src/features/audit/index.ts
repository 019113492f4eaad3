export { AuditLog } from './components/AuditLog.tsx'
export { toTimeline } from './entries.tsx'
