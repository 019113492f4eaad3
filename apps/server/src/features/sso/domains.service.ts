import type { StoredSettings, Switches } from '@app/contract'
import type { Database } from '../../platform/db/database.ts'
import { fail } from '../../platform/http/failure.ts'
import { findProviderOfDomain, type ProviderRow } from './sso.store.ts'

/** The domain of an address, as providers have it: `@example.com`. */
const domainIn = (email: string): string => email.slice(email.lastIndexOf('@')).normalize('NFKC').toLowerCase()

/** Are addresses such as this one of the domain of the provider? */
export const covers = ({ domain_filter }: Pick<ProviderRow, 'domain_filter'>, email: string): boolean =>
  domain_filter !== null && email.includes('@') && domainIn(email) === domain_filter

export type SsoDomains = ReturnType<typeof createSsoDomains>

/** Which addresses sign in through which provider. Needs nothing of accounts, so that accounts can ask it. */
export function createSsoDomains(deps: {
  database: Database
  switches: Pick<Switches, 'sso'>
  settings: { all(): Promise<Pick<StoredSettings, 'user:sso'>> }
}) {
  /** Is single sign-on on, by the operator and by an administrator? */
  const isOn = async (): Promise<boolean> => deps.switches.sso && (await deps.settings.all())['user:sso']

  /** The active provider through which people with this address sign in; undefined while single sign-on is off. */
  async function providerFor(email: string): Promise<ProviderRow | undefined> {
    if (!email.includes('@') || !(await isOn())) return undefined
    return findProviderOfDomain(deps.database.read, domainIn(email))
  }

  return {
    isOn,
    providerFor,

    /**
     * Says why an account keeps its address while single sign-on is on: `identity` when its provider says what
     * the address is; `domain` when people of its domain sign in through a provider, and this address is of another.
     * Administrators may leave the domain. Reads the settings and the provider once each.
     */
    async keeps(
      { email, sso_enabled, admin }: { email: string; sso_enabled: number; admin: number },
      next: string,
    ): Promise<'identity' | 'domain' | undefined> {
      if (!(await isOn())) return undefined
      if (sso_enabled) return 'identity'
      if (admin || !email.includes('@')) return undefined
      const provider = await findProviderOfDomain(deps.database.read, domainIn(email))
      return provider && !covers(provider, next) ? 'domain' : undefined
    },

    /**
     * Does a new account with this address sign in through a provider? @throws Failure invalid_sso_email for an address
     * with a plus sign, which the provider does not know as that of the same person.
     */
    async signsUp(email: string): Promise<boolean> {
      if (!(await providerFor(email))) return false
      if (email.slice(0, email.lastIndexOf('@')).includes('+'))
        throw fail('invalid_sso_email', undefined, { field: 'email' })
      return true
    },
  }
}
