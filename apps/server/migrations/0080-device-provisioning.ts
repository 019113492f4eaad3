import { type Kysely, sql } from 'kysely'

/**
 * Tokens with which devices register themselves, and one-time codes with which their agents fetch credentials. A token
 * names its instance without a reference: when that is gone, it registers nothing rather than devices without one. A
 * code outlives its device, so that its agent learns that the device is gone.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table provisioning_tokens (
    id text primary key, team_id text not null references teams (id) on delete cascade, name text not null,
    token_hash text not null unique, instance_id text, expires_at bigint, uses integer not null,
    last_used_at bigint, created_at bigint not null)`.execute(db)
  await sql`create index provisioning_tokens_team on provisioning_tokens (team_id, id)`.execute(db)

  await sql`create table device_codes (
    hash text primary key, device_id text not null, team_id text not null references teams (id) on delete cascade,
    expires_at bigint not null)`.execute(db)
  await sql`create index device_codes_device on device_codes (device_id)`.execute(db)
  await sql`create index device_codes_team on device_codes (team_id)`.execute(db)
  await sql`create index device_codes_expiry on device_codes (expires_at)`.execute(db)

  await sql`alter table devices add column registered_by text`.execute(db)
  // Rows of devices are wide: their charts are counted from this alone.
  await sql`create index devices_team_seen on devices (team_id, last_seen_at, status)`.execute(db)
}
