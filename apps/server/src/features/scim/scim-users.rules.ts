import type { AdminUserPatch } from '@app/contract'
import type { Tx } from '../../platform/db/tables.ts'
import { lockUser } from '../account/index.ts'
import type { SsoDomains } from '../sso/index.ts'
import { ScimError } from './scim.errors.ts'

/** The limits of a directory (decision 115). */
export function createScimRules(deps: { ssoDomains: Pick<SsoDomains, 'providerFor'>; postgres: boolean }) {
  return {
    /**
     * Refuses what would let a directory sign in as an administrator. Judged in the transaction, since the account may
     * have been given the right a moment ago.
     * @throws ScimError 403
     */
    async refuseAdministrator(tx: Tx, userId: string, doing: string): Promise<void> {
      if ((await lockUser(tx, userId, deps.postgres))?.admin)
        throw new ScimError(403, `A directory cannot ${doing}. Ask an administrator of the platform`)
    },

    /** The change of an address. It counts as verified only where a provider covers its domain. */
    async addressFor(before: string, email: string): Promise<Pick<AdminUserPatch, 'email' | 'email_verified'>> {
      if (email === before) return {}
      return (await deps.ssoDomains.providerFor(email)) ? { email } : { email, email_verified: false }
    },
  }
}
