export { createSetupRestore, type Restoring } from './setup.restore.ts'
export { setupHandlers } from './setup.routes.ts'
export { createSetup, type Setup } from './setup.service.ts'
