import type { RouteIdOf } from '@app/contract'
import type { Handlers } from '../../platform/http/context.ts'
import type { Context } from './context.service.ts'

export function contextHandlers(context: Context): Handlers<RouteIdOf<'context'>> {
  return {
    'context.get': async ({ instance }) => context.get(instance),
    async 'context.delete'({ actor, instance }, { query }) {
      return { deleted: await context.delete(actor, instance, query) }
    },
  }
}
