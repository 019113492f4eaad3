export { type Deployments } from './deployments.service.ts'
export type { DeploymentRow } from './deployments.store.ts'
export { drawn } from './deployments.drawing.ts'
export { faultsView } from './deployments.view.ts'
