export { changedSettings, settingsUpdates } from './settings.change.ts'
export { effectiveSettings, platformVariables, templateOf } from './settings.view.ts'
export { plainVariables } from './variables.plain.ts'
export { variableContext } from './variables.context.ts'
