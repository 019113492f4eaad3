import { type Kysely, sql } from 'kysely'

/** Takeover by new contents from what serves: the setting of an instance, and the result of each deployment; JSON. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table instances add column takeover text not null default 'auto'`.execute(db)
  await sql`alter table deployments add column takeover text`.execute(db)
}
