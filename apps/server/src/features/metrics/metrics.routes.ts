import type { RouteIdOf } from '@app/contract'
import type { Handlers } from '../../platform/http/context.ts'
import type { Metrics } from './metrics.service.ts'

export function metricsHandlers(metrics: Metrics): Handlers<RouteIdOf<'metrics'>> {
  return {
    'metrics.instance': async ({ instance }, { query }) => metrics.ofInstance(instance, query.window),
    'metrics.team': async ({ team, reach }, { query }) => metrics.ofTeam({ teamId: team.id, reach }, query),
  }
}
