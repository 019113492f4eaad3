import { type Kysely, sql } from 'kysely'

/** How a device gets another version of its agent, the order it has not answered yet, and how the last one ended. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table devices add column agent_updater text`.execute(db)
  await sql`alter table devices add column agent_order text`.execute(db)
  await sql`alter table devices add column agent_update text`.execute(db)
}
