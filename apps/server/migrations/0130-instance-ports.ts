import { type Kysely, sql } from 'kysely'

/** The port of an instance on a platform that gives ports in the place of names; null: it never had one. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table instances add column port integer`.execute(db)
  await sql`create unique index instances_port on instances (port)`.execute(db)
}
