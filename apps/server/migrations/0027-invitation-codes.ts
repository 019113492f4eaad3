import { type Kysely, sql } from 'kysely'

/**
 * The hash of the code in a mail to an address without an account: whoever has the code reads the mail of that
 * address.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table invitations add column code_hash text`.execute(db)
}
