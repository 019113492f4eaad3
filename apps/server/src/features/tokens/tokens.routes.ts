import { okay, type RouteIdOf } from '@app/contract'
import type { Handlers } from '../../platform/http/context.ts'
import type { PersonalTokens } from './personal-tokens.service.ts'

export function tokenHandlers(tokens: PersonalTokens): Handlers<RouteIdOf<'tokens'>> {
  return {
    async 'tokens.list'({ actor }) {
      const list = await tokens.list(actor)
      return { count: list.length, tokens: list }
    },
    'tokens.create': async ({ actor }, { body }) => tokens.create(actor, body),
    async 'tokens.revoke'({ actor }, { params }) {
      await tokens.revoke(actor, params.tokenId)
      return okay
    },
  }
}
