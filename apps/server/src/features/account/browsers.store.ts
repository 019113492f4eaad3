import type { Db, Tx } from '../../platform/db/tables.ts'

export interface BrowserRow {
  id: string
  user_id: string
  token_hash: string
  /** Somebody has signed in again from it, so it keeps its cookie. */
  returned: number
  created_at: number
  expires_at: number
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    known_browsers: BrowserRow
  }
}

export async function findBrowser(
  db: Db,
  userId: string,
  tokenHash: string,
  now: number,
): Promise<BrowserRow | undefined> {
  return db
    .selectFrom('known_browsers')
    .selectAll()
    .where('token_hash', '=', tokenHash)
    .where('user_id', '=', userId)
    .where('expires_at', '>', now)
    .executeTakeFirst()
}

/** A browser has a row for each person who has signed in there. Oldest first. */
export async function listBrowsers(db: Db, tokenHash: string, now: number): Promise<BrowserRow[]> {
  return db
    .selectFrom('known_browsers')
    .selectAll()
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', now)
    .orderBy('id')
    .execute()
}

/** Gives a browser that came back a new token, and returns who has signed in there. Of two at once only one finds it. */
export async function renewBrowser(
  tx: Tx,
  tokenHash: string,
  change: Pick<BrowserRow, 'token_hash' | 'expires_at'>,
  now: number,
): Promise<string[]> {
  const rows = await tx
    .updateTable('known_browsers')
    .set({ ...change, returned: 1 })
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', now)
    .returning('user_id')
    .execute()
  return rows.map((row) => row.user_id)
}

/** Adds a browser, and returns how many others this person has. */
export async function insertBrowser(tx: Tx, row: BrowserRow): Promise<number> {
  const { others } = await tx
    .insertInto('known_browsers')
    .values(row)
    .returning((browser) =>
      browser
        .selectFrom('known_browsers as other')
        .select((count) => count.fn.countAll<number>().as('n'))
        .where('other.user_id', '=', row.user_id)
        .where('other.id', '!=', row.id)
        .as('others'),
    )
    .executeTakeFirstOrThrow()
  return Number(others)
}

/** Forgets browsers beyond this many of a person: first those that never came back, then the oldest. */
export async function keepBrowsers(tx: Tx, userId: string, most: number): Promise<void> {
  const rows = await tx
    .selectFrom('known_browsers')
    .select('id')
    .where('user_id', '=', userId)
    .orderBy('returned', 'desc')
    .orderBy('id', 'desc')
    .execute()
  const gone = rows.slice(most).map(({ id }) => id)
  if (gone.length > 0) await tx.deleteFrom('known_browsers').where('id', 'in', gone).execute()
}

/** Forgets the browsers of a person, all but the one with this token. */
export async function deleteBrowsers(tx: Tx, userId: string, exceptHash: string): Promise<void> {
  await tx.deleteFrom('known_browsers').where('user_id', '=', userId).where('token_hash', '!=', exceptHash).execute()
}

/** Forgets browsers in which nobody signed in for long. Returns how many, at most `atMost`. */
export async function deleteExpiredBrowsers(db: Db, now: number, atMost: number): Promise<number> {
  const ended = db.selectFrom('known_browsers').select('id').where('expires_at', '<=', now).limit(atMost)
  return Number((await db.deleteFrom('known_browsers').where('id', 'in', ended).executeTakeFirst()).numDeletedRows)
}
