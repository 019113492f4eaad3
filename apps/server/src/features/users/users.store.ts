import type { Portion } from '../../platform/db/page.ts'
import type { Db } from '../../platform/db/tables.ts'
import { matchWords } from '../../platform/db/words.ts'
import { type PersonRow, personColumns, userWords } from '../account/index.ts'

/** A page of all users, oldest first, and how many there are; those that a text finds if one is given. */
export async function listUsers(
  db: Db,
  page: Portion & { text: string },
): Promise<{ rows: PersonRow[]; count: number }> {
  const match = page.text === '' ? undefined : await matchWords(db, userWords, page.text)
  let rows = db.selectFrom('users').select(personColumns).orderBy('id').limit(page.limit)
  if (page.cursor) rows = rows.where('id', '>', page.cursor)
  if (match) rows = rows.where(match.holds('users.id'))
  return { rows: await rows.execute(), count: match ? match.count : await countUsers(db) }
}

export async function countUsers(db: Db): Promise<number> {
  const row = await db
    .selectFrom('users')
    .select((count) => count.fn.countAll<number>().as('n'))
    .executeTakeFirstOrThrow()
  return Number(row.n)
}

/** Which of these users have another address waiting. */
export async function pendingAmong(db: Db, ids: readonly string[], now: number): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const rows = await db
    .selectFrom('account_links')
    .select('user_id')
    .where('user_id', 'in', ids)
    .where('purpose', '=', 'email')
    .where('expires_at', '>', now)
    .execute()
  return new Set(rows.map((row) => row.user_id))
}
