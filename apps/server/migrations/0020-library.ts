import { type Kysely, sql } from 'kysely'

/** Libraries of teams, and of instances for themselves: `owner` is the id of the one or of the other. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table library_entries (
    id text primary key,
    owner text not null,
    team_id text not null references teams (id) on delete cascade,
    instance_id text references instances (id) on delete cascade,
    type text not null,
    folder text not null,
    name text not null,
    meta text not null,
    body text not null,
    updated_at bigint not null
  )`.execute(db)
  await sql`create unique index library_entries_place on library_entries (owner, folder, name, type)`.execute(db)
  await sql`create index library_entries_team on library_entries (team_id)`.execute(db)
  await sql`create index library_entries_instance on library_entries (instance_id)`.execute(db)
}
