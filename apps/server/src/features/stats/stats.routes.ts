import { okay, type RouteIdOf, type Stats } from '@app/contract'
import type { Handlers } from '../../platform/http/context.ts'
import type { Statistics } from './stats.service.ts'

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replaceAll('-', '_')

/** The counts as OpenMetrics: `flowforge_user_count 3`; what has no limit has no line for it. */
export function openMetrics({ instancesByState, ...counts }: Stats): string {
  const states = Object.entries(instancesByState).map(
    ([state, n]) => [`instances_by_state_${snake(state)}`, n] as const,
  )
  const lines = [...Object.entries(counts).map(([name, n]) => [snake(name), n] as const), ...states]
  return `${lines.flatMap(([name, n]) => (n === null ? [] : [`flowforge_${name} ${n}\n`])).join('')}# EOF\n`
}

export function statsHandlers(statistics: Statistics): Handlers<RouteIdOf<'stats'> | 'admin.stats'> {
  return {
    async 'admin.stats'({ request, reply }) {
      const stats = await statistics.now()
      if (!request.headers.accept?.includes('application/openmetrics-text')) return stats
      const type = 'application/openmetrics-text; version=1.0.0; charset=utf-8'
      await reply.header('content-type', type).send(openMetrics(stats))
      return undefined
    },
    async 'stats.history'(_context, { query }) {
      const points = await statistics.history(query.range ?? 'week')
      return { meta: {}, count: points.length, points }
    },
    'stats.createToken': async ({ actor }) => ({ token: await statistics.createToken(actor) }),
    async 'stats.deleteToken'({ actor }) {
      await statistics.deleteToken(actor)
      return okay
    },
  }
}
