import { type Kysely, sql } from 'kysely'

/** Second factors with what signing in by them needs meanwhile, and personal access tokens. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table users add column second_factor integer not null default 0`.execute(db)

  await sql`create table second_factors (
    id text primary key, user_id text not null references users (id) on delete cascade, kind text not null, name text not null,
    confirmed integer not null, secret text, last_step bigint, credential_id text unique, public_key text, counter bigint,
    transports text, created_at bigint not null, last_used_at bigint)`.execute(db)
  await sql`create index second_factors_user on second_factors (user_id, id)`.execute(db)

  await sql`create table recovery_codes (
    hash text primary key, user_id text not null references users (id) on delete cascade)`.execute(db)
  await sql`create index recovery_codes_user on recovery_codes (user_id)`.execute(db)

  await sql`create table passkey_challenges (
    challenge text primary key, user_id text not null references users (id) on delete cascade, purpose text not null,
    expires_at bigint not null)`.execute(db)
  await sql`create index passkey_challenges_user on passkey_challenges (user_id)`.execute(db)
  await sql`create index passkey_challenges_expiry on passkey_challenges (expires_at)`.execute(db)

  await sql`create table sign_in_steps (
    token_hash text primary key, user_id text not null references users (id) on delete cascade,
    password_hash text not null, expires_at bigint not null)`.execute(db)
  await sql`create index sign_in_steps_user on sign_in_steps (user_id)`.execute(db)
  await sql`create index sign_in_steps_expiry on sign_in_steps (expires_at)`.execute(db)

  await sql`alter table tokens add column name text`.execute(db)
  await sql`alter table tokens add column last_used_at bigint`.execute(db)
}
