import { type Kysely, sql } from 'kysely'

/**
 * Whether an instance only claims who deployed. Nothing was checked before, so every deploy from then is a claim;
 * other versions name whoever the console had signed in.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table flow_versions add column user_claimed integer not null default 0`.execute(db)
  await sql`update flow_versions set user_claimed = 1 where kind in ('deploy', 'refused') and user_id is not null`.execute(
    db,
  )
}
