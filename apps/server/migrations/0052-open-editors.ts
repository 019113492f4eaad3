import { type Kysely, sql } from 'kysely'

/** The people who have the editor of an instance open, as its process reported last; JSON. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table instances add column open_editors text`.execute(db)
}
