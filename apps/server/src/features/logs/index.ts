export type { LogRoute } from './logs.routes.ts'
