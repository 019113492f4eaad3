import { type Kysely, sql } from 'kysely'
import type { Migration } from '../src/platform/db/migrate.ts'

/** Counts of everything, by the hour and by the day. `at` is the beginning of the period. */
export const up: Migration['up'] = async (db: Kysely<unknown>) => {
  await sql`create table stats_points (
    period text not null, at bigint not null, users integer not null, teams integer not null, instances integer not null,
    devices integer not null, states text not null, primary key (period, at))`.execute(db)
  await sql`create table licence_overages (resource text primary key, told_at bigint not null)`.execute(db)
}
