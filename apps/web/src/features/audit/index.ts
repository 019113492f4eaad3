export { AuditLog } from './components/AuditLog.tsx'
export { IntegrityButton, IntegrityFaults } from './components/Integrity.tsx'
export { toTimeline } from './entries.tsx'
