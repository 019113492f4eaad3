export { prepareFlows, type Origin, type PreparedFlows, type Versions } from './versions.service.ts'
export { nameDuplicate } from './versions.store.ts'
