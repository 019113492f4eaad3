export type { LocalDriverConfig } from './config.ts'
export { createLocalDriver } from './local.driver.ts'
export { writeWhole } from './record.store.ts'
