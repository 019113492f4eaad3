import { type Kysely, sql } from 'kysely'

/** Hash of the cookie of the browser that began a sign-in to an editor. Requests from before match no browser. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table oauth_requests add column browser_hash text not null default ''`.execute(db)
}
