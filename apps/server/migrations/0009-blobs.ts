import { type Kysely, sql } from 'kysely'

/** Texts kept once however often they are referred to: flows and whatever else has versions. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table blobs (
    hash text primary key,
    body text not null,
    size bigint not null,
    refs integer not null
  )`.execute(db)
}
