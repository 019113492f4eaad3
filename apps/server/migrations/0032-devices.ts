import { type Kysely, sql } from 'kysely'

/**
 * Devices of teams, each with one token and one secret for the credentials of its flows, and which snapshot those of an
 * instance shall run. What a device shall run is not kept with it: it follows its instance.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table devices (
    id text primary key, team_id text not null references teams (id) on delete cascade, name text not null,
    type text not null, search_key text not null, instance_id text references instances (id) on delete set null,
    active_snapshot_id text references snapshots (id) on delete set null, status text not null, agent_version text,
    last_seen_at bigint, env text, settings_hash text not null, token_hash text not null unique,
    credential_secret text not null, created_at bigint not null, updated_at bigint not null)`.execute(db)
  await sql`create index devices_team on devices (team_id, id)`.execute(db)
  await sql`create index devices_instance on devices (instance_id, id)`.execute(db)
  await sql`create index devices_active on devices (active_snapshot_id)`.execute(db)

  await sql`create table device_targets (
    instance_id text primary key references instances (id) on delete cascade,
    snapshot_id text not null references snapshots (id) on delete cascade)`.execute(db)
  await sql`create index device_targets_snapshot on device_targets (snapshot_id)`.execute(db)
}
