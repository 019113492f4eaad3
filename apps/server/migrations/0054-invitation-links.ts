import { type Kysely, sql } from 'kysely'

/**
 * Invitation links: an invitation with a code, but without a user or an address. Whoever signs up by such a link where
 * no mail can be sent has an address that nobody proved; the account is open all the same.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index invitations_code on invitations (code_hash)`.execute(db)
  await sql`alter table users add column proof_waived integer not null default 0`.execute(db)
}
