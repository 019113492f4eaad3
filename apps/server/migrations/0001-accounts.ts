import { type Kysely, sql } from 'kysely'

/** Users, their sessions and tokens, sign-in limits, and the settings of the platform. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table users (
    id text primary key, username text not null, username_key text not null unique, name text not null,
    email text not null, email_key text not null unique, password_hash text not null,
    admin integer not null, email_verified integer not null, suspended integer not null, password_expired integer not null,
    tcs_accepted_at bigint, default_team_id text, created_at bigint not null, updated_at bigint not null)`.execute(db)
  await sql`create index users_default_team on users (default_team_id)`.execute(db)

  await sql`create table sessions (
    id text primary key, user_id text not null references users (id) on delete cascade, token_hash text not null unique,
    address text not null, user_agent text not null, created_at bigint not null, last_seen_at bigint not null, expires_at bigint not null)`.execute(
    db,
  )
  await sql`create index sessions_user on sessions (user_id, id)`.execute(db)

  await sql`create table rate_limits (key text primary key, count integer not null, resets_at bigint not null)`.execute(
    db,
  )
  await sql`create table settings (key text primary key, value text not null)`.execute(db)
}
