import { type Kysely, sql } from 'kysely'

/**
 * Whether anybody knows the password of an account. Those that a provider or a directory made got a random one. A change
 * by which such an account was made is at most a moment older than the account; whoever has chosen a password since is
 * counted again with the next one.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table users add column local_password integer not null default 1`.execute(db)
  for (const made of ['sso_identities', 'scim_users'])
    await sql`update users set local_password = 0 where exists (
      select 1 from ${sql.table(made)} as made
      where made.user_id = users.id and made.created_at - users.created_at between 0 and 2000)`.execute(db)
}
