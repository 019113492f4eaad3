import { type Kysely, sql } from 'kysely'

/** Single sign-on: providers, the people they know, sign-ins under way and the last ones that ended. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table users add column sso_enabled integer not null default 0`.execute(db)
  await sql`create table sso_providers (
    id text primary key,
    name text not null,
    type text not null,
    domain_filter text unique,
    active integer not null,
    options text not null,
    secrets text not null,
    created_at bigint not null,
    updated_at bigint not null
  )`.execute(db)
  await sql`create table sso_identities (
    provider_id text not null references sso_providers (id) on delete cascade,
    subject text not null,
    user_id text not null references users (id) on delete cascade,
    created_at bigint not null,
    last_sign_in_at bigint not null,
    primary key (provider_id, subject)
  )`.execute(db)
  await sql`create unique index sso_identities_user on sso_identities (user_id, provider_id)`.execute(db)
  await sql`create table sso_requests (
    id_hash text primary key,
    provider_id text not null references sso_providers (id) on delete cascade,
    browser_hash text not null,
    return_to text not null,
    data text not null,
    expires_at bigint not null
  )`.execute(db)
  await sql`create index sso_requests_provider on sso_requests (provider_id)`.execute(db)
  await sql`create index sso_requests_expires on sso_requests (expires_at)`.execute(db)
  await sql`create table sso_answers (
    provider_id text not null references sso_providers (id) on delete cascade,
    id_hash text not null,
    expires_at bigint not null,
    primary key (provider_id, id_hash)
  )`.execute(db)
  await sql`create index sso_answers_expires on sso_answers (expires_at)`.execute(db)
  await sql`create table sso_links (
    token_hash text primary key,
    provider_id text not null references sso_providers (id) on delete cascade,
    subject text not null,
    user_id text not null references users (id) on delete cascade,
    return_to text not null,
    expires_at bigint not null
  )`.execute(db)
  await sql`create index sso_links_provider on sso_links (provider_id)`.execute(db)
  await sql`create index sso_links_expires on sso_links (expires_at)`.execute(db)
  await sql`create index sso_links_user on sso_links (user_id)`.execute(db)
  await sql`create table sso_sign_ins (
    id text primary key,
    provider_id text not null references sso_providers (id) on delete cascade,
    created_at bigint not null,
    result text not null,
    reason text,
    detail text,
    subject text,
    email text,
    user_id text references users (id) on delete set null,
    created integer not null,
    address text not null,
    sent text not null,
    applied text not null
  )`.execute(db)
  await sql`create index sso_sign_ins_provider on sso_sign_ins (provider_id, id)`.execute(db)
  await sql`create index sso_sign_ins_user on sso_sign_ins (user_id)`.execute(db)
}
