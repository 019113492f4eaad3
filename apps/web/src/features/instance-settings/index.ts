export { AddVariable } from './components/AddVariable.tsx'
export { ModulesEditor } from './components/ModulesEditor.tsx'
export { SaveBar } from './components/SaveBar.tsx'
export { SettingsForm } from './components/SettingsForm.tsx'
export { SettingControl } from './components/SettingControl.tsx'
export { VariablesForm } from './components/VariablesForm.tsx'
export { VariableRow } from './components/VariableRow.tsx'
export { listFaults } from './modules.ts'
export {
  at,
  editorFields,
  faultsOf,
  moduleFields,
  paletteFields,
  securityFields,
  type SettingField,
  type SettingValues,
  valuesOf,
} from './setting-fields.ts'
export { flatNames } from './settings.queries.ts'
export { faultsOfVariables, toVariables, type Variable } from './variables.ts'
