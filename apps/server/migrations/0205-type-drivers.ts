import { type Kysely, sql } from 'kysely'

/** The driver that starts the instances of a type; null: the usual one of the server. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table instance_types add column driver text`.execute(db)
}
