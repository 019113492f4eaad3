export { ChangeType } from './components/ChangeType.tsx'
export { QuotaNote, useIsFull } from './components/QuotaNote.tsx'
export { quotaText } from './quota-text.ts'
export { quotasQuery, useQuotas } from './quotas.queries.ts'
