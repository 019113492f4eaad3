import { type Kysely, sql } from 'kysely'

/** Clients of the broker: each device and each instance has at most one user there. Its password is sealed. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table broker_clients (
    username text primary key, device_id text unique references devices (id) on delete cascade,
    instance_id text unique references instances (id) on delete cascade, password text not null,
    created_at bigint not null)`.execute(db)
}
