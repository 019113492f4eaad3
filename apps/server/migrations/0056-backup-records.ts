import { type Kysely, sql } from 'kysely'

/** A backup on this server as it was made, and when its file was last seen unchanged. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table backup_records (
    name text primary key, sha256 text not null, took_ms bigint not null, checked_at bigint not null, damage text)`.execute(
    db,
  )
}
