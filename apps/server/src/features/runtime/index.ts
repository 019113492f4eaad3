export { runtimeHandlers } from './runtime.routes.ts'
export { createRuntime, type Runtime } from './runtime.service.ts'
