import { type Kysely, sql } from 'kysely'

/** Counts the changes of a template, so that nobody overwrites one they have not seen. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table templates add column revision integer not null default 1`.execute(db)
}
