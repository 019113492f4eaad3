import { type Kysely, sql } from 'kysely'

/**
 * Settings of Node-RED on a device, as JSON, and the memory limit that its agent reports. Agents that report none know
 * no such settings.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of ['nodered', 'memory_limit'])
    await sql`alter table devices add column ${sql.ref(column)} text`.execute(db)
}
