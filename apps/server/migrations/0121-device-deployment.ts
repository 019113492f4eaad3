import { type Kysely, sql } from 'kysely'

/** Takeover setting of a device, the result of its last attempt, and the open resources of its Node-RED. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table devices add column takeover text not null default 'auto'`.execute(db)
  await sql`alter table devices add column last_deployment text`.execute(db)
  await sql`alter table devices add column deployment_reported_at bigint`.execute(db)
  await sql`alter table devices add column opens text`.execute(db)
}
