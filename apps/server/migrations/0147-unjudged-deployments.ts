import { type Kysely, sql } from 'kysely'

/**
 * Only the deployment whose contents are in place still has the terms of a later judgement. One that was put back, or
 * failed before it touched anything, left those of an earlier one in place.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`update deployments set terms = null where terms is not null and exists (
    select 1 from deployments later
    where later.instance_id = deployments.instance_id and later.id > deployments.id
      and (later.state = 'done' or later.verdict is not null)
  )`.execute(db)
}
