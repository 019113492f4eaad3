export { type Restoring } from './setup.restore.ts'
export { type Setup } from './setup.service.ts'
