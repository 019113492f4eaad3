import { type Kysely, sql } from 'kysely'
import type { Migration } from '../src/platform/db/migrate.ts'

const text = (row: string) => `${row}event || ' ' || coalesce(${row}username, '') || ' ' || ${row}body`

/**
 * Entries of the audit log get a mark of who wrote them, a place in a chain and its seal; what is written in them
 * gets an index of all its pieces of three characters; and the log of the platform one of its own.
 */
export const up: Migration['up'] = async (db: Kysely<unknown>, kind) => {
  for (const column of ['mac text', 'position bigint', 'seal text'])
    await sql.raw(`alter table audit_log add column ${column}`).execute(db)
  await sql`create unique index audit_log_mac on audit_log (mac)`.execute(db)
  await sql`create unique index audit_log_position on audit_log (position)`.execute(db)
  await sql`create index audit_log_unsealed on audit_log (id) where position is null`.execute(db)
  // One number for what is in the log of the platform: an index over two scopes at once would have to be sorted.
  const platform = "(case when scope_type in ('platform', 'user') then 1 else 0 end)"
  await sql.raw(`create index audit_log_platform on audit_log (${platform}, id)`).execute(db)
  await sql.raw(`create index audit_log_platform_event on audit_log (${platform}, event, id)`).execute(db)
  await sql`create index audit_log_scope_type on audit_log (scope_type, id)`.execute(db)
  await sql`create index audit_log_person on audit_log (username, id)`.execute(db)
  await sql`create index audit_log_time on audit_log (created_at)`.execute(db)
  await sql`create table audit_marks (
    name text primary key, position bigint not null, seal text not null, entries bigint not null, at bigint not null, mac text not null)`.execute(
    db,
  )
  await (kind === 'sqlite' ? indexTextEmbedded(db) : indexTextPostgres(db))
}

async function indexTextEmbedded(db: Kysely<unknown>): Promise<void> {
  await sql`create virtual table audit_text using fts5(
    text, content='', contentless_delete=1, tokenize='trigram', detail=none)`.execute(db)
  await sql
    .raw(
      `create trigger audit_text_added after insert on audit_log begin
         insert into audit_text (rowid, text) values (new.id, ${text('new.')}); end`,
    )
    .execute(db)
  await sql`create trigger audit_text_removed after delete on audit_log begin
    delete from audit_text where rowid = old.id; end`.execute(db)
  await sql.raw(`insert into audit_text (rowid, text) select id, ${text('')} from audit_log`).execute(db)
}

/** As the extension pg_trgm would, which not every server has. The scope is an element too: logs are searched one by one. */
async function indexTextPostgres(db: Kysely<unknown>): Promise<void> {
  await sql`create function audit_grams(scope_type text, scope_id text, content text) returns text[]
    language sql immutable parallel safe cost 100000 as $$
      select array_agg(substr(lowered, i, 3)) || array[scope_type || ':', scope_type || ':' || scope_id]
      from (select lower(content) as lowered offset 0) once, generate_series(1, greatest(length(lowered) - 2, 1)) i $$`.execute(
    db,
  )
  await sql
    .raw(`create index audit_log_text on audit_log using gin (audit_grams(scope_type, scope_id, ${text('')}))`)
    .execute(db)
}
