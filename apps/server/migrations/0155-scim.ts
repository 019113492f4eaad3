import { type Kysely, sql } from 'kysely'

/**
 * Accounts and groups that directories provision by SCIM, and the tokens they do it with. An account that its directory
 * deleted keeps its row, so that it comes back as the same account when the directory creates it again.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table scim_tokens (
    id text primary key, name text not null, directory text not null, token_hash text not null unique,
    adopts integer not null, created_at bigint not null, expires_at bigint, last_used_at bigint)`.execute(db)

  await sql`create table scim_users (
    user_id text primary key references users (id) on delete cascade, directory text not null,
    user_name text not null, user_name_key text not null, external_id text, display_name_key text not null,
    resource text not null, suspended integer not null, removed_at bigint,
    created_at bigint not null, updated_at bigint not null)`.execute(db)
  await sql`create unique index scim_users_name on scim_users (directory, user_name_key)
    where removed_at is null`.execute(db)
  await sql`create index scim_users_external on scim_users (directory, external_id)`.execute(db)

  await sql`create table scim_groups (
    id text primary key, directory text not null, display_name text not null, display_name_key text not null,
    external_id text, created_at bigint not null, updated_at bigint not null)`.execute(db)
  await sql`create unique index scim_groups_name on scim_groups (directory, display_name_key)`.execute(db)
  await sql`create index scim_groups_external on scim_groups (directory, external_id)`.execute(db)

  await sql`create table scim_group_members (
    group_id text not null references scim_groups (id) on delete cascade,
    user_id text not null references users (id) on delete cascade,
    primary key (group_id, user_id))`.execute(db)
  await sql`create index scim_group_members_user on scim_group_members (user_id)`.execute(db)
}
