import { roles } from '@app/contract'
import type { CallerRules } from '../../platform/authz/callers.ts'
import { fail } from '../../platform/http/failure.ts'

declare module '../../platform/authz/actor.ts' {
  interface Programs {
    /** A program that reads the statistics of the platform, by the token for that. */
    statistics: object
  }
}

/** The statistics, and nothing else. */
export const statisticsCaller: CallerRules<'statistics'> = {
  judge(_actor, { scope, target }) {
    if (scope === 'platform:stats') return roles.none
    if (target !== 'platform' && target !== 'self') throw fail('not_found')
    throw fail('unauthorized', undefined, { status: 403 })
  },
}
