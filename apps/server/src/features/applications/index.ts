export { type Applications } from './applications.service.ts'
