import { okay, type RouteIdOf } from '@app/contract'
import type { Handlers } from '../../platform/http/context.ts'
import type { ScimGroups } from './scim-groups.service.ts'
import type { ScimTokens } from './scim-tokens.service.ts'

export function scimHandlers(tokens: ScimTokens, groups: ScimGroups, base: string): Handlers<RouteIdOf<'scim'>> {
  return {
    async 'scim.tokens'() {
      const all = await tokens.list()
      return { meta: {}, count: all.length, baseUrl: base, tokens: all }
    },
    'scim.createToken': async ({ actor }, { body }) => tokens.create(actor, body),
    async 'scim.deleteToken'({ actor }, { params }) {
      await tokens.remove(actor, params.tokenId)
      return okay
    },
    async 'scim.groups'() {
      const all = await groups.all()
      return { meta: {}, count: all.length, groups: all }
    },
  }
}
