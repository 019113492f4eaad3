import { type Kysely, sql } from 'kysely'
import type { Migration } from '../src/platform/db/migrate.ts'

/** The audit log with its counts, and jobs. */
export const up: Migration['up'] = async (db: Kysely<unknown>, kind) => {
  const identity =
    kind === 'postgres' ? sql`bigint generated always as identity primary key` : sql`integer primary key autoincrement`
  await sql`create table audit_log (
    id ${identity}, created_at bigint not null, event text not null, scope_type text not null, scope_id text not null,
    trigger_id text, trigger_type text not null, trigger_name text not null, username text, address text not null, body text not null)`.execute(
    db,
  )
  await sql`create index audit_log_scope on audit_log (scope_type, scope_id, id)`.execute(db)
  await sql`create index audit_log_event on audit_log (scope_type, scope_id, event, id)`.execute(db)
  await sql`create index audit_log_username on audit_log (scope_type, scope_id, username, id)`.execute(db)
  await sql`create table audit_counts (
    scope_type text not null, scope_id text not null, event text not null, count bigint not null,
    primary key (scope_type, scope_id, event))`.execute(db)

  await sql`create table jobs (
    id text primary key, kind text not null, title text not null, subject text not null, team_id text not null, state text not null,
    payload text not null, steps text not null, error text, created_at bigint not null, started_at bigint, ended_at bigint,
    lease_owner text, lease_until bigint not null)`.execute(db)
  await sql`create index jobs_subject on jobs (subject, id)`.execute(db)
  await sql`create unique index jobs_active on jobs (subject) where state in ('queued', 'running')`.execute(db)
  await sql`create index jobs_open on jobs (state, lease_until, id) where state in ('queued', 'running')`.execute(db)
}
