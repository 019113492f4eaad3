import { type Kysely, sql } from 'kysely'

/** The environment of an instance, where it was set. Null: as the stages of pipelines say. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table instances add column environment text`.execute(db)
}
