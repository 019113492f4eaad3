export { listStagesOf, refusesErrors } from './pipelines.store.ts'
