import { type Kysely, sql } from 'kysely'

/** The host name that a passkey was made for: browsers offer it there alone. Unknown for those from before. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table second_factors add column host text`.execute(db)
}
