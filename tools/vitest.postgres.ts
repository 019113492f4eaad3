import { startPostgres } from './postgres.ts'

/** For a run with TEST_DATABASE=postgres: one cluster, whose address the tests find in TEST_POSTGRES_URL. */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env.TEST_DATABASE !== 'postgres') return undefined
  const cluster = await startPostgres()
  process.env.TEST_POSTGRES_URL = cluster.url
  return cluster.stop
}
