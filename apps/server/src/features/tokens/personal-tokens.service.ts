import type { AccessToken, AccessTokenCreate } from '@app/contract'
import type { UserActor } from '../../platform/authz/actor.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db/database.ts'
import { fail } from '../../platform/http/failure.ts'
import { type Audit, userScope } from '../audit/index.ts'
import { newPersonalToken } from './personal-token.ts'
import { tokenRow } from './token-row.ts'
import { deletePersonalToken, insertToken, listPersonalTokens, type TokenRow } from './tokens.store.ts'
import { accessTokenView } from './tokens.view.ts'

const mostPerPerson = 50

export type PersonalTokens = ReturnType<typeof createPersonalTokens>

/** Tokens that people make for their own programs. */
export function createPersonalTokens({ database, clock, audit }: { database: Database; clock: Clock; audit: Audit }) {
  return {
    list: async (actor: UserActor): Promise<AccessToken[]> =>
      (await listPersonalTokens(database.read, actor.userId)).map(accessTokenView),

    /**
     * Makes a token; the answer is the only one that shows it.
     * @throws Failure invalid_request for an expiry in the past, or too many tokens.
     */
    async create(actor: UserActor, wish: AccessTokenCreate): Promise<AccessToken & { token: string }> {
      const now = clock.now()
      const expires_at = wish.expiresAt === null ? null : Date.parse(wish.expiresAt)
      if (expires_at !== null && expires_at <= now)
        throw fail('invalid_request', 'Choose a time in the future', { field: 'expiresAt' })
      if ((await listPersonalTokens(database.read, actor.userId)).length >= mostPerPerson)
        throw fail('invalid_request', `At most ${mostPerPerson} tokens are possible: revoke one first`)
      const token = newPersonalToken()
      const scopes = [...new Set(wish.scopes)].toSorted()
      const row: TokenRow = {
        ...tokenRow('personal', token, now),
        user_id: actor.userId,
        scopes: JSON.stringify(scopes),
        expires_at,
        name: wish.name,
      }
      await database.transact(async (tx) => {
        await insertToken(tx, row)
        const info = { tokenId: row.id, tokenName: wish.name, scopes, expiresAt: wish.expiresAt }
        await audit.record(tx, actor, 'user.token.created', userScope(actor.userId), { info })
      })
      return { ...accessTokenView(row), token }
    },

    /** @throws Failure not_found for a token that is not theirs. */
    async revoke(actor: UserActor, id: string): Promise<void> {
      await database.transact(async (tx) => {
        const row = await deletePersonalToken(tx, actor.userId, id)
        if (!row) throw fail('not_found')
        const info = { tokenId: id, tokenName: row.name }
        await audit.record(tx, actor, 'user.token.revoked', userScope(actor.userId), { info })
      })
    },
  }
}
