import { type Kysely, sql } from 'kysely'

/** Update method of a device's agent, the order it has not answered yet, and the result of the last one. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table devices add column agent_updater text`.execute(db)
  await sql`alter table devices add column agent_order text`.execute(db)
  await sql`alter table devices add column agent_update text`.execute(db)
}
