export { createRealtime } from './realtime.routes.ts'
