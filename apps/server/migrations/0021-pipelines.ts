import { type Kysely, sql } from 'kysely'

/**
 * Pipelines of applications and their stages, in the order of `position`; and of a push, the instance it came from,
 * which may be gone while the record stays.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table pipelines (
    id text primary key, application_id text not null references applications (id) on delete cascade,
    name text not null, created_at bigint not null, updated_at bigint not null)`.execute(db)
  await sql`create index pipelines_application on pipelines (application_id, id)`.execute(db)

  await sql`create table pipeline_stages (
    id text primary key, pipeline_id text not null references pipelines (id) on delete cascade, name text not null,
    instance_id text references instances (id) on delete set null, position integer not null,
    created_at bigint not null, updated_at bigint not null)`.execute(db)
  await sql`create unique index pipeline_stages_instance on pipeline_stages (pipeline_id, instance_id)`.execute(db)
  await sql`create index pipeline_stages_of on pipeline_stages (instance_id)`.execute(db)

  await sql`alter table deployments add column source_id text`.execute(db)
  await sql`alter table deployments add column source_name text`.execute(db)
}
