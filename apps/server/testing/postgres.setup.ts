import { createDatabase, dropDatabases, startPostgres } from '../../../tools/test/postgres.ts'
import { openDatabase } from '../src/platform/db/database.ts'
import { migrate } from '../src/platform/db/migrate.ts'

/**
 * For a run with TEST_DATABASE=postgres: one cluster, whose address the tests find in TEST_POSTGRES_URL, and in it a
 * database TEST_POSTGRES_TEMPLATE that is migrated, so that each server of a test begins with a copy. A cluster whose
 * address stands there already is used as it is, by a role that may make databases; those of the tests go at the end.
 */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env.TEST_DATABASE !== 'postgres') return undefined
  const given = process.env.TEST_POSTGRES_URL
  const cluster = given ? { url: given, stop: () => dropDatabases(given) } : await startPostgres({ durable: false })
  const name = `test_${crypto.randomUUID().replaceAll('-', '')}`
  const database = await openDatabase({ home: '', url: await createDatabase(cluster.url, name) })
  await migrate(database)
  await database.close()
  process.env.TEST_POSTGRES_URL = cluster.url
  process.env.TEST_POSTGRES_TEMPLATE = name
  return cluster.stop
}
