import { afterAll } from 'vitest'
import type { StubDriver } from '@app/drivers/stub'
import type { Driver } from '@app/drivers'
import type { Config } from '../src/config.ts'
import { openDriver } from '../src/drivers.ts'
import { homeWithStacks } from './homes.ts'
import { instanceCalls } from './instances.calls.ts'
import { startMailServer } from './mail.ts'
import { startServer, type TestServerOptions } from './server.ts'

/** A server for all tests of a file, which asks for it on its first lines. It is closed after them. */
export async function openServer<D extends Driver = StubDriver>(options: TestServerOptions<D> = {}) {
  const server = await startServer(options)
  afterAll(() => server.close())
  return server
}

/** A mail server in the same way. A server that sends to it is opened after it, and so closed before it. */
export async function openMailServer() {
  const mails = await startMailServer()
  afterAll(() => mails.close())
  return mails
}

/** A server with an administrator and a team with an owner, in the same way. */
export async function openPlatform<D extends Driver = StubDriver>(options: TestServerOptions<D> = {}) {
  const server = await openServer(options)
  return { server, ...(await server.build.platform()) }
}

/** The same with an application of the owner, and the steps of tests about instances. */
export async function openWorkshop<D extends Driver = StubDriver>(options: TestServerOptions<D> = {}) {
  const { server, admin, owner, team } = await openPlatform(options)
  const application = await server.build.application(owner, team)
  return { server, admin, owner, team, application, ...instanceCalls(() => ({ server, owner, application })) }
}

/** The same with instances that are processes of Node-RED. They go on without their server, so they end before it does. */
export async function openNodeRedWorkshop(config: Partial<Config> = {}) {
  const home = await homeWithStacks()
  const workshop = await openWorkshop({ config: { home, databaseUrl: '', ...config }, driver: openDriver })
  const { driver } = workshop.server
  afterAll(async () => {
    for (const id of await driver.adopt()) await driver.remove(id)
  })
  return { home, ...workshop }
}
