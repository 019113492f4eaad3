import { type Kysely, sql } from 'kysely'

/**
 * Several processes of one instance: how many there are to be, what was seen of each last (JSON), and, sealed, what a
 * further one shows to the platform.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table instances add column replicas integer`.execute(db)
  await sql`alter table instances add column members text`.execute(db)
  await sql`alter table instances add column access text`.execute(db)
}
