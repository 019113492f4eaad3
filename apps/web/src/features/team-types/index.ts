export { ChangeTypeDialog } from './components/ChangeTypeDialog.tsx'
export { QuotaNote, useIsFull } from './components/QuotaNote.tsx'
export { quotaText } from './quota-text.ts'
export { quotasQuery } from './team-types.queries.ts'
