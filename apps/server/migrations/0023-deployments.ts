import { type Kysely, sql } from 'kysely'

/**
 * What a deployment brings and what it takes the place of, while it is under way: hashes of blobs, and the stack.
 * What an instance is asked before new contents are kept.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table deployments add column incoming text`.execute(db)
  await sql`alter table deployments add column outgoing text`.execute(db)
  await sql`alter table instances add column health_check text`.execute(db)
}
