import { type Kysely, sql } from 'kysely'

/** The page of jobs shows what is open or failed, of however many there were. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index jobs_watched on jobs (id) where state in ('queued', 'running', 'failed')`.execute(db)
}
