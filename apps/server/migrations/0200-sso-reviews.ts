import { type Kysely, sql } from 'kysely'

/**
 * People to whom the rules of a provider are to be applied, because their directory changed their groups. `gone`: a group that the
 * directory has no more under this name; empty otherwise.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table sso_reviews (
    provider_id text not null references sso_providers (id) on delete cascade,
    user_id text not null references users (id) on delete cascade,
    gone text not null,
    primary key (provider_id, user_id, gone)
  )`.execute(db)
  await sql`create index sso_reviews_user on sso_reviews (user_id)`.execute(db)
}
