import { type Kysely, sql } from 'kysely'

/** What agents report of their machine: the versions of Node.js and Node-RED, as they say them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table devices add column nodejs_version text`.execute(db)
  await sql`alter table devices add column nodered_version text`.execute(db)
}
