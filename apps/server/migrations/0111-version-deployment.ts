import { type Kysely, sql } from 'kysely'

/** The deployment that brought a version of flows. For those that are there, the one that was under way at its time. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table flow_versions add column deployment_id text`.execute(db)
  await sql`update flow_versions set deployment_id = (
    select max(d.id) from deployments d
    where d.instance_id = flow_versions.instance_id and d.created_at <= flow_versions.created_at
      and (d.ended_at is null or d.ended_at >= flow_versions.created_at)
  ) where kind in ('import', 'restore', 'rollback', 'push')`.execute(db)
}
