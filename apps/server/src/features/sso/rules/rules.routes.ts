import type { RouteIdOf } from '@app/contract'
import type { Handlers } from '../../../platform/http/context.ts'
import type { SsoRules } from './rules.service.ts'

export function ssoRulesHandlers({ ssoRules }: { ssoRules: SsoRules }): Handlers<RouteIdOf<'ssoRules'>> {
  return {
    'ssoRules.list': async (_context, { params }) => ssoRules.list(params.providerId),
    'ssoRules.replace': async ({ actor }, { params, body }) => ssoRules.replace(actor, params.providerId, body.rules),
    async 'ssoRules.try'(_context, { params, body }) {
      return { effects: await ssoRules.try(params.providerId, body.signIn, body.rules) }
    },
  }
}
