import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { databaseUrl } from '../../../testing/index.ts'
import { openDatabase } from '../../platform/db/database.ts'
import { listMigrations, migrate } from '../../platform/db/migrate.ts'

const step = '0190-scim-token-provider.ts'

/** The tokens after the step, with their providers, and who is still linked to one without a password. */
async function stepped(providers: [id: string, active: 0 | 1, domain: string | null][], directories: string[]) {
  const home = await mkdtemp(join(tmpdir(), 'forge-scim-'))
  onTestFinished(() => rm(home, { recursive: true, force: true }))
  const database = await openDatabase({ home, url: await databaseUrl({ empty: true }) })
  onTestFinished(database.close)
  const before = (await listMigrations()).filter((name) => name < step)
  await migrate(database, undefined, new Set(before))
  await database.transact(async (tx) => {
    for (const [id, active, domain] of providers)
      await sql`insert into sso_providers (id, name, type, domain_filter, active, options, secrets, created_at, updated_at)
        values (${id}, ${id}, 'oidc', ${domain}, ${active}, '{}', '{}', 1, 1)`.execute(tx)
    for (const name of directories)
      await sql`insert into scim_tokens (id, name, directory, token_hash, adopts, created_at)
        values (${name}, ${name}, ${name}, ${name}, 0, 1)`.execute(tx)
    for (const [id, email] of [
      ['own', 'own@a.example'],
      ['other', 'other@b.example'],
      ['linked', 'linked@b.example'],
    ] as const) {
      await sql`insert into users (id, username, username_key, name, email, email_key, password_hash, admin,
          email_verified, proof_waived, suspended, password_expired, second_factor, sso_enabled, created_at, updated_at)
        values (${id}, ${id}, ${id}, ${id}, ${email}, ${email}, '', 0, 1, 0, 0, 0, 0, 1, 1, 1)`.execute(tx)
      await sql`insert into scim_users (user_id, directory, user_name, user_name_key, display_name_key, resource,
          suspended, created_at, updated_at)
        values (${id}, ${directories[0]}, ${id}, ${id}, ${id}, '{}', 0, 1, 1)`.execute(tx)
    }
    await sql`insert into sso_identities (provider_id, subject, user_id, created_at, last_sign_in_at)
      values (${providers[0]![0]}, 'linked', 'linked', 1, 1)`.execute(tx)
  })
  await migrate(database, undefined, new Set([...before, step]))
  const tokens = await database.read.selectFrom('scim_tokens').select('provider_id').orderBy('id').execute()
  const users = await database.read
    .selectFrom('users')
    .select('id')
    .where('sso_enabled', '=', 1)
    .orderBy('id')
    .execute()
  return { tokens: tokens.map(({ provider_id }) => provider_id), users: users.map(({ id }) => id) }
}

test('tokens of the only directory speak for the only provider that is active', async () => {
  const a = ['a', 1, '@a.example'] as const
  expect(await stepped([[...a], ['draft', 0, '@b.example']], ['A'])).toEqual({
    tokens: ['a'],
    users: ['linked', 'own'],
  })
})

test('where it is not certain which provider is meant, a token speaks for none, and passwords are asked', async () => {
  const nobody = { tokens: [null], users: ['linked'] }
  const a = ['a', 1, '@a.example'] as const
  expect(await stepped([[...a], ['b', 1, '@b.example']], ['A'])).toEqual(nobody)
  expect(await stepped([['a', 1, null]], ['A'])).toEqual(nobody)
  expect(await stepped([[...a]], ['A', 'B'])).toEqual({ tokens: [null, null], users: ['linked'] })
})
