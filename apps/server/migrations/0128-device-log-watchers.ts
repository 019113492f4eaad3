import { type Kysely, sql } from 'kysely'

/** The servers where somebody watches the log of a device, for the server that is connected to the broker. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table device_log_watchers (
    device_id text not null,
    server_id text not null,
    team_id text not null,
    until bigint not null,
    primary key (device_id, server_id)
  )`.execute(db)
  await sql`create index device_log_watchers_until on device_log_watchers (until)`.execute(db)
}
