import { type Kysely, sql } from 'kysely'

/** A provider that is deleted stays until the roles that its rules gave are taken back. Nobody finds it any more. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table sso_providers add column deleted_at bigint`.execute(db)
}
