export { pipelineHandlers } from './pipelines.routes.ts'
export { createPipelines } from './pipelines.service.ts'
export { listStagesOf, loadPipeline, refusesErrors } from './pipelines.store.ts'
