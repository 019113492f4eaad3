export { type Editors } from './editors.service.ts'
export { type Runtime } from './runtime.service.ts'
