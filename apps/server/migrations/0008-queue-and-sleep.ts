import { type Kysely, sql } from 'kysely'

/** The order of waiting jobs; of instances when they were last used, whether they may sleep, and what follows on a crash. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table jobs add column lane text not null default ''`.execute(db)
  await sql`alter table jobs add column background integer not null default 0`.execute(db)
  await sql`alter table jobs add column turn bigint not null default 0`.execute(db)
  await sql`drop index jobs_open`.execute(db)
  await sql`create index jobs_queue on jobs (lane, background, turn, id) where state in ('queued', 'running')`.execute(
    db,
  )

  await sql`alter table instances add column last_used_at bigint`.execute(db)
  await sql`alter table instances add column asleep integer not null default 0`.execute(db)
  await sql`alter table instances add column sleep_obstacle text`.execute(db)
  await sql`alter table instances add column restart text`.execute(db)
  // Flows are judged when they are deployed; what those that are there already hold is not known.
  await sql`update instances set sleep_obstacle = 'Its flows were deployed before the platform looked at them for this; deploy them once more.'
    where exists (select 1 from instance_storage where instance_id = instances.id and kind = 'flows')`.execute(db)

  const templates = db as Kysely<{ templates: { id: string; settings: string; policy: string } }>
  for (const { id, settings, policy } of await templates.selectFrom('templates').selectAll().execute()) {
    const change = {
      settings: withSleep(settings, { enabled: false, after: 1800 }),
      policy: withSleep(policy, { enabled: true, after: true }),
    }
    await templates.updateTable('templates').set(change).where('id', '=', id).execute()
  }
}

function withSleep(json: string, sleep: object): string {
  return JSON.stringify({ sleep, ...(JSON.parse(json) as object) })
}
