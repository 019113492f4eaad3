export { Retention } from './components/Retention.tsx'
export { useLicence } from './licence.queries.ts'
