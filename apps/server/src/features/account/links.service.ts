import type { TokenPrefix } from '@app/contract'
import type { Clock } from '../../platform/clock.ts'
import { hashToken, newToken } from '../../platform/crypto.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Tx } from '../../platform/db/tables.ts'
import { newId } from '../../platform/ids.ts'
import { deleteLink, findLink, findLinkOf, type LinkPurpose, type LinkRow, putLink } from './links.store.ts'

const hour = 3_600_000
const kinds: Record<LinkPurpose, { prefix: TokenPrefix; page: string; life: number }> = {
  verify: { prefix: 'ffve', page: 'verify', life: 48 * hour },
  email: { prefix: 'ffec', page: 'email_change', life: 48 * hour },
  reset: { prefix: 'ffpr', page: 'change-password', life: 24 * hour },
  'handed-reset': { prefix: 'ffpr', page: 'change-password', life: 24 * hour },
}

export type Links = ReturnType<typeof createLinks>

/** Links that prove who has an address: random, single-use, stored as hashes. Each opens a page of the console, which posts. */
export function createLinks({ database, clock, baseUrl }: { database: Database; clock: Clock; baseUrl: string }) {
  return {
    /** A new link, in the place of a former one for the same. `expiresAt` is in milliseconds. */
    async make(
      tx: Tx,
      user: { id: string },
      purpose: LinkPurpose,
      email: string,
    ): Promise<{ url: string; expiresAt: number }> {
      const { prefix, page, life } = kinds[purpose]
      const token = newToken(prefix)
      const now = clock.now()
      const expiresAt = now + life
      await putLink(tx, {
        id: newId(),
        user_id: user.id,
        purpose,
        hash: hashToken(token),
        email,
        created_at: now,
        expires_at: expiresAt,
      })
      return { url: `${baseUrl}/account/${page}/${token}`, expiresAt }
    },

    /** The link with this token, when it is for one of these purposes and not expired. */
    async find(token: string, purposes: readonly LinkPurpose[]): Promise<LinkRow | undefined> {
      const link = await findLink(database.read, hashToken(token), clock.now())
      return link && purposes.includes(link.purpose) ? link : undefined
    },

    /** The address that waits to become this user's. */
    pendingEmail: async (userId: string): Promise<string | undefined> =>
      (await findLinkOf(database.read, userId, 'email', clock.now()))?.email,

    use: deleteLink,
  }
}
