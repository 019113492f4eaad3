import { type Kysely, sql } from 'kysely'

/**
 * When whoever has a session last showed who they are (sessions from before are asked at their next such change), and
 * from which address a sign-in to an editor was begun.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table sessions add column proven_at bigint not null default 0`.execute(db)
  await sql`alter table oauth_requests add column address text not null default ''`.execute(db)
}
