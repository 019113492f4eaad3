import { type Kysely, sql } from 'kysely'

/** Certificates from an ACME server: accounts, a certificate for each host name, and answers to challenges. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table acme_accounts (
    directory text primary key,
    email text not null,
    key_sealed text not null,
    url text,
    paused_until bigint not null default 0,
    created_at bigint not null
  )`.execute(db)
  await sql`create table acme_certificates (
    name text primary key,
    directory text not null,
    certificate text,
    key_sealed text,
    expires_at bigint,
    order_url text,
    order_key_sealed text,
    due_at bigint not null,
    failures integer not null default 0,
    fault_code text,
    fault text,
    created_at bigint not null
  )`.execute(db)
  await sql`create index acme_certificates_due on acme_certificates (due_at)`.execute(db)
  await sql`create table acme_challenges (
    token text primary key,
    name text not null,
    answer text not null,
    created_at bigint not null
  )`.execute(db)
}
