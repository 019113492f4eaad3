import type { Db, Tx } from '../../../platform/db/tables.ts'
import { nextPeople } from './people.store.ts'

interface ReviewRow {
  provider_id: string
  user_id: string
  /** A group that the directory has no more under this name; empty: other groups changed. */
  gone: string
}

declare module '../../../platform/db/tables.ts' {
  interface Tables {
    sso_reviews: ReviewRow
  }
}

/** More rows than a statement may have parameters are sent in several. */
const portion = 400

/** Notes people down. A row that is there is locked, so that whoever works it off waits for this transaction. */
export async function insertReviews(
  tx: Tx,
  provider_id: string,
  userIds: readonly string[],
  gone: readonly string[],
): Promise<void> {
  const sorted = [...new Set(userIds)].toSorted()
  const rows = sorted.flatMap((user_id) => gone.map((name) => ({ provider_id, user_id, gone: name })))
  for (let at = 0; at < rows.length; at += portion) {
    await tx
      .insertInto('sso_reviews')
      .values(rows.slice(at, at + portion))
      .onConflict((conflict) => conflict.columns(['provider_id', 'user_id', 'gone']).doUpdateSet({ provider_id }))
      .execute()
  }
}

/** The next people after this one who are noted down for a provider, or the first. */
export const nextReviews = (db: Db, providerId: string, after: string): Promise<string[]> =>
  nextPeople(db, 'sso_reviews', providerId, after)

/** Takes the notes on a person back: the groups that are gone, perhaps none; undefined when there was no note. */
export async function takeReview(tx: Tx, providerId: string, userId: string): Promise<string[] | undefined> {
  const taken = await tx
    .deleteFrom('sso_reviews')
    .where('provider_id', '=', providerId)
    .where('user_id', '=', userId)
    .returning('gone')
    .execute()
  return taken.length === 0 ? undefined : taken.map(({ gone }) => gone).filter((name) => name !== '')
}

export async function deleteReviews(tx: Tx, providerId: string): Promise<void> {
  await tx.deleteFrom('sso_reviews').where('provider_id', '=', providerId).execute()
}
