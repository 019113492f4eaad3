import { type Kysely, sql } from 'kysely'

/**
 * The outcome of the flows of a deployment (`verdict`), the rules by which they are judged at a later start (`terms`, JSON),
 * and since when nothing acts while Node-RED is stopped for them (`still_since`).
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of ['verdict', 'terms'])
    await sql`alter table deployments add column ${sql.ref(column)} text`.execute(db)
  await sql`alter table deployments add column still_since bigint`.execute(db)
}
