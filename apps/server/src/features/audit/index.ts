export { type Audit, type AuditPlace, changes, createAudit } from './audit.service.ts'
