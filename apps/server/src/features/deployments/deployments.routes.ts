import { okay, type RouteIdOf } from '@app/contract'
import type { Handlers } from '../../platform/http/context.ts'
import type { Deployments } from './deployments.service.ts'

export function deploymentHandlers(deployments: Deployments): Handlers<RouteIdOf<'deployment'>> {
  return {
    'deployment.list': async ({ instance }, { query }) => deployments.list(instance, query),
    'deployment.get': async ({ instance }, { params }) => deployments.get(instance, params.deploymentId),
    'deployment.preview': async ({ actor, instance }, { body }) => deployments.preview(actor, instance, body),
    'deployment.check': async ({ actor, instance }, { body }) => deployments.check(actor, instance, body),
    async 'deployment.rollback'({ actor, instance }, { body }) {
      await deployments.rollback(actor, instance, body)
      return okay
    },
  }
}
