export { debugHandlers } from './debug.routes.ts'
