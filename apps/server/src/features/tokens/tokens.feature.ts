import { defineFeature } from '../../platform/features/feature.ts'
import { createPersonalTokens, type PersonalTokens } from './personal-tokens.service.ts'
import { tokenHandlers } from './tokens.routes.ts'
import { deleteTokensOfInstance } from './tokens.store.ts'
import { createTokens, editorTokenSweep, type Tokens } from './tokens.service.ts'

declare module '../../platform/features/services.ts' {
  interface Services {
    tokens: Tokens
    personalTokens: PersonalTokens
  }
}

export const tokensFeature = defineFeature({
  name: 'tokens',
  provides: { tokens: createTokens, personalTokens: createPersonalTokens },
  routes: ({ personalTokens }) => tokenHandlers(personalTokens),
  identify({ tokens }, { bearer, address }) {
    return bearer === undefined ? undefined : tokens.actorOf(bearer, address)
  },
  hooks: { 'instance.deleted': () => async (tx, id) => deleteTokensOfInstance(tx, id) },
  sweeps: [editorTokenSweep],
  backup: {
    change: {
      // A restored instance gets a token of its own when it is started, and people sign in to its editor again.
      tokens: (row) => (row.kind === 'instance' || row.kind === 'editor' ? undefined : row),
    },
  },
})
