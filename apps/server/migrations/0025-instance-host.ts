import { type Kysely, sql } from 'kysely'

/** One row: the server that runs the instances, by the mark of its FORGE_HOME, and when it was last seen. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table instance_host (id integer primary key, home text not null, seen_at bigint not null)`.execute(
    db,
  )
}
