export { createEditors } from './editors.service.ts'
export { runtimeHandlers } from './runtime.routes.ts'
export { createRuntime, type Runtime } from './runtime.service.ts'
