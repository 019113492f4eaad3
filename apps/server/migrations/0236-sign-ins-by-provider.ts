import { type Kysely, sql } from 'kysely'

/** Whether a provider signed the person in: then it does not matter that their password has expired. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['sessions', 'sign_in_steps'])
    await sql`alter table ${sql.table(table)} add column by_provider integer not null default 0`.execute(db)
}
