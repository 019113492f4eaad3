import { type Kysely, sql } from 'kysely'

/** The versions of Node.js and Node-RED that agents report of their machine. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table devices add column nodejs_version text`.execute(db)
  await sql`alter table devices add column nodered_version text`.execute(db)
}
