export { settingsHandlers } from './settings.routes.ts'
export { createSettings, type Settings } from './settings.service.ts'
