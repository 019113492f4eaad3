import { type Kysely, sql } from 'kysely'

/** How new contents take over from what serves: what an instance is set to, and how each deployment did; JSON. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table instances add column takeover text not null default 'auto'`.execute(db)
  await sql`alter table deployments add column takeover text`.execute(db)
}
