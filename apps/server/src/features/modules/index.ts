export { checkModulesOf, withRefusals } from './modules.policy.ts'
export {
  namesIn,
  namesToFind,
  settingsAsInstalled,
  settingsForFunctions,
  settingsWithModule,
  settingsWithModules,
  type Noted,
} from './modules.settings.ts'
