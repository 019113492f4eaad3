import { type Kysely, sql } from 'kysely'

/**
 * Why a device did not take its target, as its agent says it (JSON); the installation of the agent that called last, and
 * when another one called with the same credentials.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table devices add column refused text`.execute(db)
  await sql`alter table devices add column agent_id text`.execute(db)
  await sql`alter table devices add column shared_at bigint`.execute(db)
}
