import { type Kysely, sql } from 'kysely'

/**
 * Which run of a server holds the instances (`holder`), what people know it by, and of which server it took them over
 * without a word from it. `stop_asked_at`: the instances of the platform are to be ended for good; `stopped_at`: they were.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of [
    "holder text not null default ''",
    "name text not null default ''",
    'pid integer not null default 0',
    'former_home text',
    'former_name text',
    'former_at bigint',
    'stop_asked_at bigint',
    'stopped_at bigint',
  ])
    await sql`alter table instance_host add column ${sql.raw(column)}`.execute(db)
  await sql`alter table instances add column started_as text`.execute(db)
}
