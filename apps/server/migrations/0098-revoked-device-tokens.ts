import { type Kysely, sql } from 'kysely'
import type { Migration } from '../src/platform/db/migrate.ts'

/**
 * Tokens that this platform took from a device, by their hashes: only these are refused for good. Triggers write them,
 * since devices also go with their team.
 */
export const up: Migration['up'] = async (db: Kysely<unknown>, kind) => {
  await sql`create table revoked_device_tokens (hash text primary key)`.execute(db)
  const changes = [
    ['deleted', 'after delete on devices'],
    ['renewed', 'after update of token_hash on devices'],
  ] as const
  if (kind === 'postgres')
    await sql
      .raw(
        `create function revoke_device_token() returns trigger language plpgsql as $$ begin
          insert into revoked_device_tokens (hash) values (old.token_hash) on conflict do nothing;
          return null; end $$`,
      )
      .execute(db)
  for (const [name, when] of changes)
    await sql
      .raw(
        kind === 'postgres'
          ? `create trigger devices_token_${name} ${when} for each row execute function revoke_device_token()`
          : `create trigger devices_token_${name} ${when} begin
              insert or ignore into revoked_device_tokens (hash) values (old.token_hash); end`,
      )
      .execute(db)
}
