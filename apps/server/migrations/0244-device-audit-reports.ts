import { type Kysely, sql } from 'kysely'

/** The last event that an agent reported for the audit log, so that one it sends again is recorded once. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table devices add column audit_report text`.execute(db)
}
