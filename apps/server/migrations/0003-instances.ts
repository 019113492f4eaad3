import { type Kysely, sql } from 'kysely'

/** The catalogue (instance types, stacks, templates), instances and what Node-RED stores. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table instance_types (
    id text primary key, name text not null unique, description text not null, active integer not null, position integer not null,
    properties text not null, default_stack_id text, created_at bigint not null)`.execute(db)
  await sql`create index instance_types_stack on instance_types (default_stack_id)`.execute(db)
  await sql`create table stacks (
    id text primary key, name text not null unique, label text not null, active integer not null,
    type_id text references instance_types (id), properties text not null, replaced_by text references stacks (id), created_at bigint not null)`.execute(
    db,
  )
  await sql`create index stacks_type on stacks (type_id, id)`.execute(db)
  await sql`create index stacks_replaced on stacks (replaced_by)`.execute(db)
  await sql`create table templates (
    id text primary key, name text not null unique, description text not null, active integer not null,
    settings text not null, policy text not null, owner_id text references users (id) on delete set null, created_at bigint not null)`.execute(
    db,
  )
  await sql`create index templates_owner on templates (owner_id)`.execute(db)

  await sql`create table instances (
    id text primary key, team_id text not null references teams (id), application_id text not null references applications (id),
    name text not null, name_key text not null unique, type_id text not null references instance_types (id),
    stack_id text not null references stacks (id), template_id text not null references templates (id), settings text not null,
    wanted text not null, in_flight text, in_flight_until bigint not null, observed text not null, reason text, versions text,
    last_start_at bigint, flows_updated_at bigint, credential_secret text not null,
    client_id text unique, client_secret_hash text, created_at bigint not null, updated_at bigint not null)`.execute(db)
  for (const column of ['team_id', 'application_id', 'type_id', 'stack_id', 'template_id']) {
    await sql`create index ${sql.ref(`instances_${column.replace('_id', '')}`)} on instances (${sql.ref(column)}, id)`.execute(
      db,
    )
  }
  await sql`create table instance_storage (
    instance_id text not null references instances (id) on delete cascade, kind text not null, body text not null,
    updated_at bigint not null, primary key (instance_id, kind))`.execute(db)

  await sql`create table tokens (
    id text primary key, kind text not null, hash text not null unique, refresh_hash text unique,
    user_id text references users (id) on delete cascade, instance_id text references instances (id) on delete cascade,
    team_id text references teams (id) on delete cascade, scopes text not null, grant_scope text, expires_at bigint, created_at bigint not null)`.execute(
    db,
  )
  await sql`create index tokens_user on tokens (user_id)`.execute(db)
  await sql`create index tokens_instance on tokens (instance_id)`.execute(db)
  await sql`create index tokens_team on tokens (team_id)`.execute(db)
  await sql`create table oauth_requests (
    id text primary key, instance_id text not null references instances (id) on delete cascade, client_id text not null,
    redirect_uri text not null, scope text not null, state text not null, code_challenge text not null,
    code_hash text unique, user_id text references users (id) on delete cascade, created_at bigint not null, expires_at bigint not null)`.execute(
    db,
  )
  await sql`create index oauth_requests_instance on oauth_requests (instance_id)`.execute(db)
  await sql`create index oauth_requests_user on oauth_requests (user_id)`.execute(db)
}
