import type { RouteIdOf } from '@app/contract'
import type { Handlers } from '../../platform/http/context.ts'
import type { History } from './history.service.ts'

export function historyHandlers(history: History): Handlers<RouteIdOf<'history'>> {
  return {
    'history.list': async ({ instance }, { query }) => history.list(instance, query),
    'history.changes': async ({ instance }, { query }) => history.changes(instance, query.to, query.from),
  }
}
