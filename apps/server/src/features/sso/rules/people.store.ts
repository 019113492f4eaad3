import type { Db } from '../../../platform/db/tables.ts'

/** The next hundred people after this one, or the first, of whom a table has something for a provider. */
export async function nextPeople(
  db: Db,
  table: 'sso_reviews' | 'sso_grants',
  providerId: string,
  after: string,
): Promise<string[]> {
  const rows = await db
    .selectFrom(table)
    .select('user_id')
    .distinct()
    .where('provider_id', '=', providerId)
    .where('user_id', '>', after)
    .orderBy('user_id')
    .limit(100)
    .execute()
  return rows.map(({ user_id }) => user_id)
}
