import { type Kysely, sql } from 'kysely'

/** Labels of devices. The team is that of the device, which never changes: the tags of a team are read from its index alone. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table device_tags (
    device_id text not null references devices (id) on delete cascade, team_id text not null, tag text not null,
    primary key (device_id, tag))`.execute(db)
  await sql`create index device_tags_team on device_tags (team_id, tag, device_id)`.execute(db)
}
