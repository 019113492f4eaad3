import { type Kysely, sql } from 'kysely'

/** Since when the process had run that served before a deployment: after a kill, what runs since then is the new one. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table deployments add column served_since bigint`.execute(db)
}
