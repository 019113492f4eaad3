import { type Kysely, sql } from 'kysely'

/** Roles of members in single applications, which end with the membership and with the application. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table application_members (
    application_id text not null references applications (id) on delete cascade,
    user_id text not null,
    team_id text not null,
    role integer not null,
    created_at bigint not null,
    primary key (application_id, user_id),
    foreign key (team_id, user_id) references team_members (team_id, user_id) on delete cascade
  )`.execute(db)
  await sql`create index application_members_member on application_members (team_id, user_id)`.execute(db)
  await sql`create index application_members_user on application_members (user_id)`.execute(db)
}
