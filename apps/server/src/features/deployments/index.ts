export { deploymentHandlers } from './deployments.routes.ts'
export { createDeployments } from './deployments.service.ts'
