import type { RouteIdOf } from '@app/contract'
import type { Handlers } from '../../platform/http/context.ts'
import type { Ha } from './ha.service.ts'

/** High availability, which is not there while the feature is off. */
export function haHandlers(ha: Ha): Handlers<RouteIdOf<'ha'>> {
  return {
    async 'ha.get'({ instance: { replicas } }) {
      return replicas === null ? {} : { replicas }
    },
    async 'ha.enable'({ actor, instance }, { body }) {
      await ha.enable(actor, instance, body.replicas)
      return body
    },
    async 'ha.disable'({ actor, instance }) {
      await ha.disable(actor, instance)
      return {}
    },
  }
}
