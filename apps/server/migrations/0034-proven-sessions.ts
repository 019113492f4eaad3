import { type Kysely, sql } from 'kysely'

/** When whoever has a session last showed who they are; sessions from before are asked at their next such change. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table sessions add column proven_at bigint not null default 0`.execute(db)
}
