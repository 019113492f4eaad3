import { type Kysely, sql } from 'kysely'

/** How a device takes over from one target to the next, how the last attempt went, and what its Node-RED has open. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table devices add column takeover text not null default 'auto'`.execute(db)
  await sql`alter table devices add column last_deployment text`.execute(db)
  await sql`alter table devices add column deployment_reported_at bigint`.execute(db)
  await sql`alter table devices add column opens text`.execute(db)
}
