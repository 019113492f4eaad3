import { type Kysely, sql } from 'kysely'

/** Browsers in which somebody has signed in: their guesses are counted apart from those of strangers. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table known_browsers (
    id text primary key, user_id text not null references users (id) on delete cascade, token_hash text not null,
    returned integer not null, created_at bigint not null, expires_at bigint not null)`.execute(db)
  await sql`create unique index known_browsers_token on known_browsers (token_hash, user_id)`.execute(db)
  await sql`create index known_browsers_user on known_browsers (user_id, returned, id)`.execute(db)
  await sql`create index known_browsers_expiry on known_browsers (expires_at)`.execute(db)
}
