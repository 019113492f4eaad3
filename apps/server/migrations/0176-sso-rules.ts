import { type Kysely, sql } from 'kysely'

/** Rules by which groups of a provider give roles, what they gave, and the groups of kept sign-ins to try them on. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table sso_rules (
    provider_id text not null references sso_providers (id) on delete cascade,
    position integer not null,
    group_name text not null,
    team_id text references teams (id) on delete cascade,
    role integer not null,
    primary key (provider_id, position)
  )`.execute(db)
  await sql`create index sso_rules_team on sso_rules (team_id)`.execute(db)
  await sql`create table sso_grants (
    id text primary key,
    provider_id text not null references sso_providers (id) on delete cascade,
    user_id text not null references users (id) on delete cascade,
    team_id text references teams (id) on delete cascade,
    role integer not null
  )`.execute(db)
  await sql`create unique index sso_grants_one on sso_grants (user_id, provider_id, coalesce(team_id, ''))`.execute(db)
  await sql`create index sso_grants_provider on sso_grants (provider_id)`.execute(db)
  await sql`create index sso_grants_team on sso_grants (team_id)`.execute(db)
  await sql`alter table sso_sign_ins add column group_names text`.execute(db)
}
