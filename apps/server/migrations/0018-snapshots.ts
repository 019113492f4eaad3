import { type Kysely, sql } from 'kysely'

/** Snapshots of instances, whose contents are blobs, and what was deployed to instances. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table snapshots (
    id text primary key, instance_id text not null references instances (id) on delete cascade,
    name text not null, name_key text not null, description text not null, user_id text references users (id) on delete set null,
    automatic integer not null, modules text not null, flows_hash text not null, credentials_hash text,
    settings_hash text not null, created_at bigint not null, updated_at bigint not null)`.execute(db)
  await sql`create index snapshots_instance on snapshots (instance_id, id)`.execute(db)
  await sql`create index snapshots_user on snapshots (user_id)`.execute(db)

  await sql`create table deployments (
    id text primary key, instance_id text not null references instances (id) on delete cascade, kind text not null,
    state text not null, job_id text, actor_name text not null, snapshot_id text references snapshots (id) on delete set null,
    snapshot_name text not null, before_id text references snapshots (id) on delete set null, changes text not null,
    reason text, log text, created_at bigint not null, ended_at bigint)`.execute(db)
  await sql`create index deployments_instance on deployments (instance_id, id)`.execute(db)
  await sql`create index deployments_snapshot on deployments (snapshot_id)`.execute(db)
  await sql`create index deployments_before on deployments (before_id)`.execute(db)
}
