import { type Kysely, sql } from 'kysely'

/** The load of devices, as their agents report it: a row for each hour of the last day, with its points as text. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table device_loads (
    device_id text not null,
    hour integer not null,
    points text not null,
    primary key (device_id, hour)
  )`.execute(db)
  await sql`create index device_loads_hour on device_loads (hour)`.execute(db)
}
