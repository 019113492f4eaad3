import { type Kysely, sql } from 'kysely'

/** The certificates of SAML providers whose end administrators were told of. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table sso_certificate_notices (
    provider_id text not null references sso_providers (id) on delete cascade,
    fingerprint text not null,
    created_at bigint not null,
    primary key (provider_id, fingerprint)
  )`.execute(db)
}
