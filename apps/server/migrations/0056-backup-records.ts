import { type Kysely, sql } from 'kysely'

/** What a backup on this server was when it was made, and when the file was last seen to be that still. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table backup_records (
    name text primary key, sha256 text not null, took_ms bigint not null, checked_at bigint not null, damage text)`.execute(
    db,
  )
}
