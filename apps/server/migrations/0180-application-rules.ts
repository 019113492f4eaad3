import { type Kysely, sql } from 'kysely'

/** Rules for groups that give a role in one application, and what they gave there. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['sso_rules', 'sso_grants']) {
    const to = sql.table(table)
    await sql`alter table ${to} add column application_id text references applications (id) on delete cascade`.execute(
      db,
    )
    const index = sql.id(`${table}_application`)
    await sql`create index ${index} on ${to} (application_id)`.execute(db)
  }
  await sql`drop index sso_grants_one`.execute(db)
  await sql`create unique index sso_grants_one
    on sso_grants (user_id, provider_id, coalesce(team_id, ''), coalesce(application_id, ''))`.execute(db)
}
