export { type Runtime } from './runtime.service.ts'
