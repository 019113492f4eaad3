import { type Kysely, sql } from 'kysely'

/** What the mail to an address without an account carries, as a hash: whoever has it reads the mail of that address. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table invitations add column code_hash text`.execute(db)
}
