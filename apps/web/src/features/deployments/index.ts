export { DeploymentNotice } from './components/DeploymentNotice.tsx'
export { DifferenceList } from './components/DifferenceList.tsx'
export { Changes, Preview } from './components/Preview.tsx'
export { tellEnd, useLastDeployment } from './deployments.queries.ts'
