import { type Kysely, sql } from 'kysely'

/**
 * The provider for whose domain a SCIM token speaks. Tokens that exist get the provider of their company where there is no
 * doubt which: one active provider, which has a domain, and one directory. Elsewhere an administrator has to say it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table scim_tokens
    add column provider_id text references sso_providers (id) on delete set null`.execute(db)
  await sql`create index scim_tokens_provider on scim_tokens (provider_id)`.execute(db)
  await sql`update scim_tokens
    set provider_id = (select min(id) from sso_providers where active = 1 and domain_filter is not null)
    where (select count(*) from sso_providers where active = 1) = 1
      and (select count(distinct directory) from scim_tokens) = 1`.execute(db)
  // Accounts of other domains ask for their password before a provider is linked to them.
  await sql`update users set sso_enabled = 0
    where sso_enabled = 1
      and id not in (select user_id from sso_identities)
      and id in (select scim.user_id from scim_users scim where not exists (
        select 1 from scim_tokens token join sso_providers provider on provider.id = token.provider_id
        where token.directory = scim.directory and provider.domain_filter =
          substr(users.email_key, length(users.email_key) - length(provider.domain_filter) + 1)))`.execute(db)
}
