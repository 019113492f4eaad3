import { type Kysely, sql } from 'kysely'

/** Team types, teams, memberships and applications. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table team_types (
    id text primary key, name text not null unique, description text not null, active integer not null,
    properties text not null, position integer not null, created_at bigint not null)`.execute(db)
  await sql`create table teams (
    id text primary key, name text not null, slug text not null unique, type_id text not null references team_types (id),
    created_at bigint not null, updated_at bigint not null)`.execute(db)
  await sql`create index teams_type on teams (type_id)`.execute(db)
  await sql`create table team_members (
    team_id text not null references teams (id) on delete cascade, user_id text not null references users (id) on delete cascade,
    role integer not null, created_at bigint not null, primary key (team_id, user_id))`.execute(db)
  await sql`create index team_members_user on team_members (user_id, team_id)`.execute(db)
  await sql`create table applications (
    id text primary key, team_id text not null references teams (id), name text not null,
    created_at bigint not null, updated_at bigint not null)`.execute(db)
  await sql`create index applications_team on applications (team_id, id)`.execute(db)
}
