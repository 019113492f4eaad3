import type { Db, Tx } from '../../../platform/db/tables.ts'

interface ReviewRow {
  provider_id: string
  user_id: string
}

declare module '../../../platform/db/tables.ts' {
  interface Tables {
    sso_reviews: ReviewRow
  }
}

/** More rows than a statement may have parameters are sent in several. */
const portion = 400

/** Notes people down. A row that is there is locked, so that whoever works it off waits for this transaction. */
export async function insertReviews(tx: Tx, providerId: string, userIds: readonly string[]): Promise<void> {
  const sorted = [...new Set(userIds)].toSorted()
  for (let at = 0; at < sorted.length; at += portion) {
    await tx
      .insertInto('sso_reviews')
      .values(sorted.slice(at, at + portion).map((user_id) => ({ provider_id: providerId, user_id })))
      .onConflict((conflict) => conflict.columns(['provider_id', 'user_id']).doUpdateSet({ provider_id: providerId }))
      .execute()
  }
}

/** The next people of a provider after this one, or the first. */
export async function nextReviews(db: Db, providerId: string, after: string): Promise<string[]> {
  const rows = await db
    .selectFrom('sso_reviews')
    .select('user_id')
    .where('provider_id', '=', providerId)
    .where('user_id', '>', after)
    .orderBy('user_id')
    .limit(100)
    .execute()
  return rows.map(({ user_id }) => user_id)
}

/** Takes a note back; false when there was none. */
export async function takeReview(tx: Tx, providerId: string, userId: string): Promise<boolean> {
  const taken = await tx
    .deleteFrom('sso_reviews')
    .where('provider_id', '=', providerId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return taken.numDeletedRows === 1n
}

export async function deleteReviews(tx: Tx, providerId: string): Promise<void> {
  await tx.deleteFrom('sso_reviews').where('provider_id', '=', providerId).execute()
}
