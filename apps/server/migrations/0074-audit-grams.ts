import { type Kysely, sql } from 'kysely'
import type { Migration } from '../src/platform/db/migrate.ts'

/**
 * On PostgreSQL the pieces of an entry's text are cut by three regular expressions, for each first character one, and
 * kept as lexemes: an index of a long log is made in two fifths of the time, whatever the collation of the database.
 */
export const up: Migration['up'] = async (db: Kysely<unknown>, kind) => {
  if (kind !== 'postgres') return
  await sql`drop index audit_log_text`.execute(db)
  await sql`drop function audit_grams`.execute(db)
  const from = (first: number) => `regexp_replace(substr(lowered, ${first}), '(...)', E'\\\\1\\x01', 'g')`
  await sql
    .raw(
      `create function audit_grams(scope_type text, scope_id text, content text) returns tsvector
        language sql immutable parallel safe cost 100000 as $$
          select array_to_tsvector(array_remove(
            string_to_array(${[from(1), from(2), from(3)].join(` || E'\\x01' || `)}, E'\\x01')
            || array[scope_type || ':', scope_type || ':' || scope_id], ''))
          from (select lower(content) as lowered offset 0) once $$`,
    )
    .execute(db)
  await sql`set local maintenance_work_mem = '256MB'`.execute(db)
  await sql
    .raw(
      `create index audit_log_text on audit_log using gin
        (audit_grams(scope_type, scope_id, event || ' ' || coalesce(username, '') || ' ' || body))`,
    )
    .execute(db)
}
