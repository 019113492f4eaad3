import { type Kysely, sql } from 'kysely'

/**
 * The master keys by ids that tell nothing about them. `sealed` is a check value of the current key, and any other key
 * sealed under the current one. `handoff` is the current key sealed under the one before, while that is being replaced.
 * `servers`: who uses this database now, and which keys each knows.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table master_keys (
    id text primary key, state text not null, sealed text not null, handoff text, audit_until bigint,
    made_at bigint not null)`.execute(db)
  await sql`create unique index master_keys_current on master_keys (state) where state <> 'former'`.execute(db)
  await sql`create table servers (
    id text primary key, name text not null, pid integer not null, seen_at bigint not null, key_id text not null,
    known_keys text not null)`.execute(db)
}
