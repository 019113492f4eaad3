import { type Kysely, sql } from 'kysely'

/**
 * Flows of deployments and instances: the report of the former flows (`flows_before`), the errors of the new ones and
 * a warning, JSON; why the flows of a running instance do not run; and whether new contents with errors pass, for an
 * instance and for a stage.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of ['flows_before', 'faults', 'warning'])
    await sql`alter table deployments add column ${sql.ref(column)} text`.execute(db)
  await sql`alter table instances add column flows_stopped text`.execute(db)
  for (const table of ['instances', 'pipeline_stages'])
    await sql`alter table ${sql.ref(table)} add column on_errors text not null default 'pass'`.execute(db)
}
