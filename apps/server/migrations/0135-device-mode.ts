import { type Kysely, sql } from 'kysely'

/** Whether a device follows its target, or keeps the flows that people change on it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table devices add column mode text not null default 'autonomous'`.execute(db)
}
