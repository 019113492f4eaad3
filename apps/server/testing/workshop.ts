import { afterAll } from 'vitest'
import type { StubDriver } from '@app/drivers/stub'
import type { Driver } from '@app/drivers'
import { instanceCalls } from './instances.calls.ts'
import { startServer, type TestServerOptions } from './server.ts'

/**
 * A server with an administrator and a team with an owner, for all tests of a file, which asks for it on its first lines.
 * It is closed after them.
 */
export async function openPlatform<D extends Driver = StubDriver>(options: TestServerOptions<D> = {}) {
  const server = await startServer(options)
  afterAll(() => server.close())
  return { server, ...(await server.build.platform()) }
}

/** The same with an application of the owner, and the steps of tests about instances. */
export async function openWorkshop<D extends Driver = StubDriver>(options: TestServerOptions<D> = {}) {
  const { server, admin, owner, team } = await openPlatform(options)
  const application = await server.build.application(owner, team)
  return { server, admin, owner, team, application, ...instanceCalls(() => ({ server, owner, application })) }
}
