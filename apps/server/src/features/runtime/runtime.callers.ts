import { roles, type Scope } from '@app/contract'
import type { FastifyRequest } from 'fastify'
import { type CallerRules, checkScopeInTeam } from '../../platform/authz/callers.ts'
import type { Clock } from '../../platform/clock.ts'
import { fail } from '../../platform/http/failure.ts'
import { logOf } from '../../platform/http/request-id.ts'
import { createPace } from '../../platform/http/pace.ts'

declare module '../../platform/authz/actor.ts' {
  interface Programs {
    instance: { instanceId: string; teamId: string }
  }
}

/** The scopes of an instance's token besides its own calls (docs/specification/permissions.md). */
const carried: readonly Scope[] = [
  'project:flows:view',
  'project:flows:edit',
  'team:projects:list',
  'library:entry:list',
  'library:entry:create',
]

/**
 * Writes of one instance in a minute: each may be kept for long, as a line of the log, a version or an entry of the
 * library, and flows can make them without end. Somebody at an editor makes a few.
 */
const most = 300
const windowMs = 60_000

/** The rules of calls that instances make with their token. */
export function instanceCaller({ clock }: { clock: Clock }): CallerRules<'instance'> {
  const pace = createPace(() => clock.now(), most, windowMs)

  /** @throws Failure too_many_requests, with the seconds to wait as `retryAfter`. */
  function countWrite(request: FastifyRequest, instance: string): void {
    const { wait, first } = pace.take(instance)
    if (wait === 0) return
    if (first) logOf(request).warn({ instance, most }, 'an instance writes too often')
    const sentence = `This instance writes too often: at most ${most} times a minute`
    throw fail('too_many_requests', sentence, { retryAfter: wait })
  }

  return {
    admit(actor, { instanceId }, request) {
      if (actor.kind !== 'instance') throw fail('unauthorized')
      if (actor.instanceId !== instanceId) throw fail('not_found')
      if (request.method !== 'GET' && request.method !== 'HEAD') countWrite(request, instanceId)
    },
    judge(actor, asked) {
      checkScopeInTeam(actor, carried, asked)
      return roles.viewer
    },
  }
}
