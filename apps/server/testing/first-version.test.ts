import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { findPostgres } from '../../../tools/test/postgres.ts'
import { type Database, openDatabase } from '../src/platform/db/database.ts'
import { listMigrations, migrate } from '../src/platform/db/migrate.ts'
import { databaseUrl, send, startServer, until, withTrueHashes } from './index.ts'

const name = 'orders'
/** As the data was made: first-version/README.md. */
const account = { username: 'alice', password: 'correct horse battery' }
const secretKey = Buffer.alloc(32)

const dataOf = (file: string) => gunzipSync(readFileSync(join(import.meta.dirname, 'first-version', file)))

/** A home and a database with the data of the first version. */
async function firstVersion() {
  const home = newHome()
  const url = await databaseUrl({ empty: true })
  if (!url) writeFileSync(join(home, 'forge.db'), dataOf('forge.db.gz'))
  else
    execFileSync(`${findPostgres()}/psql`, ['-q', '-v', 'ON_ERROR_STOP=1', '-d', url], {
      input: dataOf('forge.sql.gz'),
      stdio: ['pipe', 'ignore', 'pipe'],
    })
  return { home, ...(url && { databaseUrl: url }) }
}

function newHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'forge-first-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  return home
}

test('the data of the first version is opened: people sign in, and their instance runs its flows', async () => {
  const server = await startServer({ config: { ...(await firstVersion()), secretKey } })
  onTestFinished(server.close)
  const signed = await withTrueHashes(() => send(server.address, 'POST', '/account/login', { body: account }))
  expect(signed.status).toBe(200)
  const cookie = signed.headers.getSetCookie()[0]!.split(';')[0]!
  const get = async (path: string) => (await send(server.address, 'GET', path, { headers: { cookie } })).json
  const { teams } = (await get('/api/v1/user/teams')) as { teams: { id: string; name: string }[] }
  expect(teams.map((team) => team.name)).toEqual(['Example Bakery'])
  const { projects } = (await get(`/api/v1/teams/${teams[0]!.id}/projects`)) as {
    projects: { id: string; name: string }[]
  }
  expect(projects).toMatchObject([{ name, application: { name: 'Ovens' } }])
  const path = `/api/v1/projects/${projects[0]!.id}`
  // It ran when the server of the first version ended.
  await until(
    () => get(path),
    (instance) => (instance.meta as { state: string }).state === 'running',
  )
  expect(await get(`${path}/health-check/paths`)).toMatchObject({ paths: ['/orders'] })
  const { log } = (await get(`/api/v1/teams/${teams[0]!.id}/audit-log`)) as { log: { event: string }[] }
  expect(log.map(({ event }) => event)).toEqual(expect.arrayContaining(['team.created', 'project.created']))
})

test('the schema of the first version, brought up to date, is the one of a new platform', async () => {
  const { home, databaseUrl: url } = await firstVersion()
  const old = await openDatabase({ home, url })
  onTestFinished(old.close)
  expect((await migrate(old)).length).toBe((await listMigrations()).length - 4)
  const fresh = await openDatabase({ home: newHome(), url: await databaseUrl({ empty: true }) })
  onTestFinished(fresh.close)
  await migrate(fresh)
  const expected = await schemaOf(fresh)
  expect(expected.length).toBeGreaterThan(100)
  expect(await schemaOf(old)).toEqual(expected)
})

/** Every table, column, index and constraint, in the words of the database. */
async function schemaOf({ kind, read }: Database): Promise<string[]> {
  const query =
    kind === 'sqlite'
      ? sql<{
          line: string
        }>`select type || ' ' || name || ' on ' || tbl_name || ': ' || coalesce(sql, '') as line from sqlite_master`
      : sql<{ line: string }>`
          select concat_ws(' ', 'column', table_name, ordinal_position, column_name, data_type, is_nullable, column_default,
            identity_generation, generation_expression) as line
            from information_schema.columns where table_schema = 'public'
          union all select indexdef from pg_indexes where schemaname = 'public'
          union all select concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid))
            from pg_constraint where connamespace = 'public'::regnamespace`
  return (await query.execute(read)).rows.map(({ line }) => line).toSorted()
}
