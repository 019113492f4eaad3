import { type Kysely, sql } from 'kysely'
import type { Migration } from '../src/platform/db/migrate.ts'

/**
 * The device whose audit log an entry stands in, besides the log of its team or instance. Entries from before get it from
 * their body. An instance may report any text, so that on PostgreSQL only the beginning of the body counts, which the
 * platform wrote: its JSON functions refuse some of those texts.
 */
export const up: Migration['up'] = async (db: Kysely<unknown>, kind) => {
  await sql`alter table audit_log add column device_id text`.execute(db)
  const ofBody =
    kind === 'postgres'
      ? sql`substring(body from ${sql.lit(String.raw`^\{(?:"project":\{"id":"[^"]*","name":"(?:[^"\\]|\\.)*"\},)?"device":\{"id":"([^"]+)"`)})`
      : sql`json_extract(body, '$.device.id')`
  // An assignment stands in the log of the team and in that of the instance; one of them is enough.
  await sql`update audit_log set device_id = ${ofBody}
    where scope_type in ('team', 'project') and event not like 'project.device.%' and body like '%"device":{"id":%'`.execute(
    db,
  )
  await sql`create index audit_log_device on audit_log (device_id, id) where device_id is not null`.execute(db)
}
