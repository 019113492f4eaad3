import type { Clock } from '../../platform/clock.ts'
import { hashToken, newToken } from '../../platform/crypto.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Tx } from '../../platform/db/tables.ts'
import { newId } from '../../platform/ids.ts'
import {
  deleteBrowsers,
  findBrowser,
  insertBrowser,
  keepBrowsers,
  listBrowsers,
  renewBrowser,
} from './browsers.store.ts'

/** Milliseconds for which a browser is remembered after a sign-in; browsers keep no cookie for longer. */
export const browserLife = 400 * 24 * 3_600_000
/** Each has its own count of guesses, so their number is bounded too. */
const mostPerUser = 20

export interface KnownBrowser {
  id: string
}

export type Browsers = ReturnType<typeof createBrowsers>

/**
 * Browsers in which a person has signed in, known by a cookie. It opens nothing; it only has guesses counted apart
 * from those of strangers, so that strangers cannot keep the person out (OWASP calls it a device cookie).
 */
export function createBrowsers({ database, clock }: { database: Database; clock: Clock }) {
  return {
    /** Has this person signed in here before? Asked also for nobody, so that the time tells nothing. */
    async find(userId: string | undefined, token: string | undefined): Promise<KnownBrowser | undefined> {
      if (!token) return undefined
      const row = await findBrowser(database.read, userId ?? '', hashToken(token), clock.now())
      return row && { id: row.id }
    },

    /** Everybody who has signed in here before, in an order that stays. */
    async people(token: string | undefined): Promise<{ id: string; userId: string }[]> {
      if (!token) return []
      const rows = await listBrowsers(database.read, hashToken(token), clock.now())
      return rows.map(({ id, user_id: userId }) => ({ id, userId }))
    },

    /**
     * Remembers that somebody signed in. The cookie is another one each time, so that one that somebody planted
     * becomes worthless. `isNew`: not known before, while others of this person are.
     */
    async remember(tx: Tx, userId: string, former: string | undefined): Promise<{ token: string; isNew: boolean }> {
      const token = newToken('ffb')
      const now = clock.now()
      const renewed = { token_hash: hashToken(token), expires_at: now + browserLife }
      const people = former ? await renewBrowser(tx, hashToken(former), renewed, now) : []
      if (people.includes(userId)) return { token, isNew: false }
      const row = { id: newId(), user_id: userId, ...renewed, returned: 0, created_at: now }
      const others = await insertBrowser(tx, row)
      if (others >= mostPerUser) await keepBrowsers(tx, userId, mostPerUser)
      return { token, isNew: others > 0 }
    },

    /** Forgets the browsers of a person, but for the one with this token: whoever knew the former password has no more guesses than strangers. */
    forget: (tx: Tx, userId: string, except?: string): Promise<void> =>
      deleteBrowsers(tx, userId, except ? hashToken(except) : ''),
  }
}
