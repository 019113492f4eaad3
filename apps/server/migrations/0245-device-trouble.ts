import { type Kysely, sql } from 'kysely'

/** Why the flows of a device do not run, and when they start again. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table devices add column trouble text`.execute(db)
}
