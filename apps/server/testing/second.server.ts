import { onTestFinished } from 'vitest'
import type { Clock } from '../src/platform/clock.ts'
import { readKeyFile } from '../src/platform/keys/key.file.ts'
import { embeddedBroker } from './broker.ts'
import { startServer, type TestServer } from './server.ts'

/**
 * Another server on the PostgreSQL database of one, until the end of the test: it has the same key and the same addresses, and
 * no connection to the broker.
 */
export async function startSecondServer({ config }: Pick<TestServer, 'config'>, more: { clock?: Clock } = {}) {
  const { databaseUrl, home, baseUrl, instanceDomain } = config
  const own = { databaseUrl: databaseUrl!, secretKey: readKeyFile(home)!, baseUrl, instanceDomain }
  const other = await startServer({ ...more, config: { ...own, broker: embeddedBroker } })
  onTestFinished(() => other.close())
  return other
}
