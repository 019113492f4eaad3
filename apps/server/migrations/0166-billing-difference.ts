import { type Kysely, sql } from 'kysely'

/** When a difference between a subscription and its provider was corrected; null for one that stays. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table subscriptions add column difference_at bigint`.execute(db)
}
