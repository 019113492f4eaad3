import { type Kysely, sql } from 'kysely'

/** From where a person opened an editor: the instance itself only ever calls from its own machine. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table tokens add column address text`.execute(db)
}
