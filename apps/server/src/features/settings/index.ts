export { lacksSecondFactor, secondFactorRequired } from './second-factor.ts'
export { settingsHandlers } from './settings.routes.ts'
export { createSettings, type Settings } from './settings.service.ts'
