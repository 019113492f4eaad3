export { createEditors } from './editors.service.ts'
export { sleepObstacle } from './flows.sleep.ts'
export { runtimeHandlers } from './runtime.routes.ts'
export { createRuntime, type Runtime } from './runtime.service.ts'
