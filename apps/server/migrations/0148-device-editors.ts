import { type Kysely, sql } from 'kysely'

/**
 * Editors of devices: the hash of the token of each one's tunnel while it is on, when its agent was asked for the tunnel,
 * whether that is open, and the people who have an editor open.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table devices add column editor_token_hash text`.execute(db)
  await sql`alter table devices add column editor_asked_at bigint`.execute(db)
  await sql`alter table devices add column editor_connected integer not null default 0`.execute(db)
  await sql`create table device_editor_sessions (
    hash text primary key,
    kind text not null,
    device_id text not null,
    user_id text not null,
    session text not null,
    expires_at bigint not null
  )`.execute(db)
  await sql`create index device_editor_sessions_expires_at on device_editor_sessions (expires_at)`.execute(db)
}
