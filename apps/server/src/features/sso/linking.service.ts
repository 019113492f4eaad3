import type { SsoLink } from '@app/contract'
import type { Actor } from '../../platform/authz/actor.ts'
import type { Clock } from '../../platform/clock.ts'
import { hashToken } from '../../platform/crypto.ts'
import type { Database } from '../../platform/db/database.ts'
import { fail } from '../../platform/http/failure.ts'
import { checkPassword } from '../../platform/passwords.ts'
import type { Accounts, Caller, Guesses, SignIn } from '../account/index.ts'
import { deleteLink, findLink } from './identities.store.ts'
import { linkedNow } from './rules/rules.sentences.ts'
import type { SsoSignIns } from './sign-in.service.ts'
import { SsoRefusal } from './sso.refusal.ts'
import { findProvider } from './sso.store.ts'

export type SsoLinking = ReturnType<typeof createSsoLinking>

/** Links an account that was there before the provider: its password is asked for, once. */
export function createSsoLinking(deps: {
  database: Database
  clock: Clock
  accounts: Pick<Accounts, 'find' | 'refuse'>
  guesses: Guesses
  ssoSignIns: Pick<SsoSignIns, 'enter'>
}) {
  const { database, clock, accounts } = deps

  /** @throws Failure unauthorized when nothing waits behind this token. */
  async function waiting(token: string | undefined) {
    const link = token ? await findLink(database.read, hashToken(token), clock.now()) : undefined
    const provider = link && (await findProvider(database.read, link.provider_id))
    const user = link && (await accounts.find(link.user_id))
    if (!link || !user || !provider?.active) throw fail('unauthorized')
    return { link, provider, user }
  }

  return {
    /** The account that waits for its password. @throws Failure unauthorized */
    async describe(token: string | undefined): Promise<SsoLink> {
      const { provider, user } = await waiting(token)
      return { provider: provider.name, email: user.email, username: user.username }
    },

    /**
     * Links the account and signs in. @throws Failure unauthorized for a wrong password as well; user_suspended,
     * too_many_requests.
     */
    async answer(
      token: string | undefined,
      password: string,
      caller: Caller,
      former: Actor,
    ): Promise<{ signIn: SignIn; returnTo: string }> {
      const { link, provider, user } = await waiting(token)
      const guess = await deps.guesses.guess({ account: user.id, address: caller.address })
      if (!(await checkPassword(password, user.password_hash)))
        return accounts.refuse(user, caller.address, fail('unauthorized', 'This is not your password'), user.username)
      if (user.suspended) return accounts.refuse(user, caller.address, fail('user_suspended'))
      await database.transact(async (tx) => {
        if (!(await deleteLink(tx, link.token_hash))) throw fail('unauthorized')
        await guess.right(tx)
      })
      const { subject, return_to: returnTo } = link
      const arrival = { provider, subject, email: user.email, sent: {}, groupsNote: linkedNow, returnTo }
      const signIn = await deps.ssoSignIns.enter(arrival, user, caller, former).catch((error: unknown) => {
        throw error instanceof SsoRefusal ? fail('unauthorized', error.message) : error
      })
      return { signIn, returnTo }
    },
  }
}
