import type { RouteIdOf } from '@app/contract'
import type { Handlers } from '../../platform/http/context.ts'
import type { Billing } from './billing.service.ts'

/** Handlers of the calls about billing. */
export function billingHandlers(billing: Billing): Handlers<RouteIdOf<'billing'>> {
  return {
    'billing.checkout': async ({ actor, team }) => ({ billingURL: await billing.checkout(actor, team) }),
    'billing.get': async ({ team }) => billing.get(team),
    async 'billing.portal'({ team, request, reply }) {
      const to = await billing.portal(team).catch((error: unknown) => {
        // A person who follows the link gets a page, not the JSON of an error.
        if (!(request.headers.accept ?? '').includes('text/html')) throw error
        return `${billing.pageOf(team)}?portal=unavailable`
      })
      await reply.header('cache-control', 'no-store').redirect(to)
    },
    async 'billing.callback'({ request, reply }) {
      const raw = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
      await billing.receive(raw, request.headers)
      await reply.code(200).send()
    },
  }
}
