import { defineFeature } from '../../platform/features/feature.ts'
import { also } from '../../platform/features/services.ts'
import { refusesErrors } from '../pipelines/index.ts'
import { recordCopy } from './deployments.copy.ts'
import { deploymentHandlers } from './deployments.routes.ts'
import { createDeployments, type Deployments } from './deployments.service.ts'
import { createNodeCatalogue } from './foresee.catalogue.ts'

declare module '../../platform/features/services.ts' {
  interface Services {
    deployments: Deployments
  }
}

export const deploymentsFeature = defineFeature({
  name: 'deployments',
  shares: ['deployments'],
  provides: {
    deployments: (services) =>
      createDeployments(
        also(services, {
          launch: services.instances.launch,
          roleOfCaller: services.applicationMembers.roleOfCaller,
          refusesErrors: async (source: string, target: string) =>
            refusesErrors(services.database.read, source, target),
          steadySeconds: services.config.steadySeconds,
          nodeCatalogue: createNodeCatalogue({
            clock: services.clock,
            log: services.log,
            url: services.config.nodeCatalogueUrl,
          }),
        }),
      ),
  },
  jobs: ({ deployments }) => [...deployments.deployJobs, deployments.judgeJob],
  hooks: {
    'instance.copied': ({ clock }) => recordCopy(clock),
    'instance.started': ({ deployments }) => deployments.started,
    'instance.start-failed': ({ deployments }) => deployments.startFailed,
    'instance.leaving': ({ deployments }) => deployments.leaving,
  },
  routes: ({ deployments }) => deploymentHandlers(deployments),
})
