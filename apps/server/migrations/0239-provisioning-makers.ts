import { type Kysely, sql } from 'kysely'

/**
 * The person who made a provisioning token, and whose end it does not outlive. Unknown for those from before, which stay
 * until somebody deletes them.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table provisioning_tokens add column created_by text references users (id) on delete cascade`.execute(
    db,
  )
  await sql`create index provisioning_tokens_maker on provisioning_tokens (created_by)`.execute(db)
}
