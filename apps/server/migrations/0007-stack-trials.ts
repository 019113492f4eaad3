import { type Kysely, sql } from 'kysely'

/** State of fetching and trying each stack. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table stacks add column state text not null default 'waiting'`.execute(db)
  await sql`alter table stacks add column reason text`.execute(db)
}
