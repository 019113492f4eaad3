import { createDatabase, startPostgres } from '../../../tools/test/postgres.ts'
import { openDatabase } from '../src/platform/db/database.ts'
import { migrate } from '../src/platform/db/migrate.ts'

/**
 * For a run with TEST_DATABASE=postgres: one cluster, whose address the tests find in TEST_POSTGRES_URL, and in it a
 * database TEST_POSTGRES_TEMPLATE that is migrated, so that each server of a test begins with a copy.
 */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env.TEST_DATABASE !== 'postgres') return undefined
  const cluster = await startPostgres({ durable: false })
  const name = 'migrated'
  const database = await openDatabase({ home: '', url: await createDatabase(cluster.url, name) })
  await migrate(database)
  await database.close()
  process.env.TEST_POSTGRES_URL = cluster.url
  process.env.TEST_POSTGRES_TEMPLATE = name
  return cluster.stop
}
