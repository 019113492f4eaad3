import { afterAll } from 'vitest'
import type { StubDriver } from '@app/drivers/stub'
import type { Driver } from '@app/drivers'
import { instanceCalls } from './instances.calls.ts'
import { startServer, type TestServerOptions } from './server.ts'

/**
 * A server with a team and an application of its owner, and the steps of tests about instances: for all tests of a
 * file, which asks for it on its first lines. It is closed after them.
 */
export async function openWorkshop<D extends Driver = StubDriver>(options: TestServerOptions<D> = {}) {
  const server = await startServer(options)
  afterAll(() => server.close())
  const { admin, owner, team } = await server.build.platform()
  const application = await server.build.application(owner, team)
  return { server, admin, owner, team, application, ...instanceCalls(() => ({ server, owner, application })) }
}
