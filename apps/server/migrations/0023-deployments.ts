import { type Kysely, sql } from 'kysely'

/**
 * Hashes of the blobs that a deployment under way brings and replaces, its stack, and the health check of an
 * instance.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table deployments add column incoming text`.execute(db)
  await sql`alter table deployments add column outgoing text`.execute(db)
  await sql`alter table instances add column health_check text`.execute(db)
}
