import { type Kysely, sql } from 'kysely'

/** The certificate authority of the platform itself, for networks without a public name: one row at most. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table local_authority (
    id integer primary key,
    names text not null,
    certificate text not null,
    key_sealed text not null,
    created_at bigint not null
  )`.execute(db)
}
