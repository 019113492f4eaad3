export { deploymentHandlers } from './deployments.routes.ts'
export { createDeployments, type Deployments } from './deployments.service.ts'
export type { DeploymentRow } from './deployments.store.ts'
export { faultsView } from './deployments.view.ts'
