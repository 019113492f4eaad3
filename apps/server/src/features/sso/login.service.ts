import type { Actor } from '../../platform/authz/actor.ts'
import { fail } from '../../platform/http/failure.ts'
import type { Accounts, Caller, SignIn } from '../account/index.ts'
import type { Ldap } from './ldap/ldap.service.ts'
import type { SsoDomains } from './domains.service.ts'

export type SsoLogin = ReturnType<typeof createSsoLogin>

/** Tells the login page which addresses sign in through a provider. */
export function createSsoLogin({
  ssoDomains,
  accounts,
  ldap,
}: {
  ssoDomains: SsoDomains
  ldap: Pick<Ldap, 'signIn' | 'signInUnknown'>
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
      caller: Caller,
      former: Actor,
    ): Promise<SignIn | { link: string } | undefined> {
      if (!(await ssoDomains.isOn())) return undefined
      const user = await accounts.findByLogin(login)
      const email = user?.email ?? login
      const byAddress = login.includes('@')
      // A user name that nobody here has may be one of a directory.
      const unknown = !user && !byAddress && password !== undefined && password !== ''
      if (unknown) return ldap.signInUnknown(login, password, caller, former)
      const provider = await ssoDomains.providerFor(email)
      if (!provider) return undefined
      if (user?.admin && (password || !byAddress)) return undefined
      // A directory takes the password from our form, which asks for it where it is missing.
      if (provider.type === 'ldap') return password ? ldap.signIn(provider, login, password, caller, former) : undefined
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
