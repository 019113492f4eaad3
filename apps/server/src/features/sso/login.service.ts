import type { Actor } from '../../platform/authz/actor.ts'
import { fail } from '../../platform/http/failure.ts'
import type { Accounts, Caller, SignIn } from '../account/index.ts'
import type { SsoDomains } from './domains.service.ts'

export type SsoLogin = ReturnType<typeof createSsoLogin>

/** Tells the login page which addresses sign in through a provider. */
export function createSsoLogin({
  ssoDomains,
  accounts,
}: {
  ssoDomains: SsoDomains
  accounts: Pick<Accounts, 'findByLogin'>
}) {
  return {
    /**
     * Decides whether a name or address signs in through a provider; undefined: by its password. Administrators may
     * always use their password, with their user name, so that somebody gets in when the provider does not answer.
     * @throws Failure sso_required, with the address to go to for somebody who gave an e-mail address alone.
     */
    async judge(
      login: string,
      password: string | undefined,
      _caller: Caller,
      _former: Actor,
    ): Promise<SignIn | undefined> {
      if (!(await ssoDomains.isOn())) return undefined
      const user = await accounts.findByLogin(login)
      const email = user?.email ?? login
      const provider = await ssoDomains.providerFor(email)
      if (!provider) return undefined
      const byAddress = login.includes('@')
      if (user?.admin && (password || !byAddress)) return undefined
      if (byAddress && !password) {
        const redirect = `/ee/sso/login?u=${encodeURIComponent(login)}`
        throw Object.assign(fail('sso_required'), { redirect })
      }
      const sentence = byAddress
        ? 'This address signs in through your company, without a password here'
        : 'Sign in with your e-mail address: it signs in through your company'
      throw fail('sso_required', sentence, { field: 'username' })
    },
  }
}
