import { type Kysely, sql } from 'kysely'

/**
 * Changes of settings are counted, and so is what the running processes have of them. What runs while this is applied
 * counts as up to date.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of ['settings_revision', 'settings_running', 'access_revision', 'access_running'])
    await sql`alter table instances add column ${sql.ref(column)} integer not null default 0`.execute(db)
  await sql`alter table instances add column modules_fault text`.execute(db)
}
