export { type Monitor } from './monitoring.service.ts'
