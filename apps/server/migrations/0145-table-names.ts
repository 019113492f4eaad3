import { type Kysely, sql } from 'kysely'

/** Two tables get the names of what they hold: signed checkpoints of the audit log, and sign-ins to editors under way. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table audit_marks rename to audit_checkpoints`.execute(db)
  await sql`alter table oauth_requests rename to editor_sign_ins`.execute(db)
}
