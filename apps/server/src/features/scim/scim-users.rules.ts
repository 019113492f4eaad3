import type { AdminUserPatch } from '@app/contract'
import type { Tx } from '../../platform/db/tables.ts'
import { lockUser } from '../account/index.ts'
import { covers, type SsoDomains } from '../sso/index.ts'
import { ScimError } from './scim.errors.ts'
import type { Provisioner } from './scim-tokens.service.ts'

/** The limits of a directory (decision 115). */
export function createScimRules(deps: { ssoDomains: Pick<SsoDomains, 'providerFor'>; postgres: boolean }) {
  /** Does the directory speak for this address? @throws ScimError 403 where a provider does that is not its own. */
  async function speaksFor({ provider }: Provisioner, email: string): Promise<boolean> {
    if (provider && covers(provider, email)) return true
    if (!(await deps.ssoDomains.providerFor(email))) return false
    const domain = email.slice(email.lastIndexOf('@'))
    throw new ScimError(
      403,
      `This token may not provision addresses of ${domain}, which a provider covers. Create a SCIM token for that provider`,
    )
  }

  return {
    speaksFor,

    /**
     * Refuses what would let a directory sign in as an administrator. Judged in the transaction, since the account may
     * have been given the right a moment ago.
     * @throws ScimError 403
     */
    async refuseAdministrator(tx: Tx, userId: string, doing: string): Promise<void> {
      if ((await lockUser(tx, userId, deps.postgres))?.admin)
        throw new ScimError(403, `A directory cannot ${doing}. Ask an administrator of the platform`)
    },

    /**
     * The change of an address. A new one counts as verified only where the directory speaks for it.
     * @throws ScimError 403 where another provider covers the address, new or former.
     */
    async addressFor(
      actor: Provisioner,
      before: string,
      email: string,
    ): Promise<Pick<AdminUserPatch, 'email' | 'email_verified'>> {
      if (email === before) return {}
      await speaksFor(actor, before)
      return (await speaksFor(actor, email)) ? { email } : { email, email_verified: false }
    },
  }
}
