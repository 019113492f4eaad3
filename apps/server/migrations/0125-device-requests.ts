import { type Kysely, sql } from 'kysely'

/**
 * Questions to devices that a server asks which has no connection to the broker, with their answers; and whether the flows
 * of a device were suspended, as its agent says.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table device_requests (
    id text primary key,
    device_id text not null,
    team_id text not null,
    command text not null,
    payload text not null,
    wait_ms integer not null,
    answer text,
    expires_at bigint not null
  )`.execute(db)
  await sql`create index device_requests_expires_at on device_requests (expires_at)`.execute(db)
  await sql`alter table devices add column target_state text`.execute(db)
}
