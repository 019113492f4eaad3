import { type Kysely, sql } from 'kysely'

/** Mailed links, invitations into teams, and mail on its way. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table account_links (
    id text primary key, user_id text not null references users (id) on delete cascade, purpose text not null,
    hash text not null unique, email text not null, created_at bigint not null, expires_at bigint not null)`.execute(db)
  await sql`create unique index account_links_user on account_links (user_id, purpose)`.execute(db)

  await sql`create table invitations (
    id text primary key, team_id text not null references teams (id) on delete cascade,
    invitor_id text not null references users (id) on delete cascade,
    invitee_id text references users (id) on delete cascade, email text, email_key text, role integer not null,
    created_at bigint not null, expires_at bigint not null, sent_at bigint)`.execute(db)
  await sql`create unique index invitations_invitee on invitations (invitee_id, team_id)`.execute(db)
  await sql`create unique index invitations_email on invitations (email_key, team_id)`.execute(db)
  await sql`create index invitations_team on invitations (team_id, id)`.execute(db)
  await sql`create index invitations_invitor on invitations (invitor_id)`.execute(db)

  await sql`create table mails (
    id text primary key, sealed text not null, attempts integer not null, due_at bigint not null, created_at bigint not null)`.execute(
    db,
  )
  await sql`create index mails_due on mails (due_at)`.execute(db)
}
