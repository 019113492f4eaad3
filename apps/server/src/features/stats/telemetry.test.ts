import { createServer } from 'node:http'
import { type AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, testClock, type TestServer, type TestUser, until } from '../../../testing/index.ts'

const day = 24 * 3_600_000
const clock = testClock()
const received: Record<string, unknown>[] = []
const vendor = createServer((request, reply) => {
  void request.toArray().then((parts) => {
    received.push(JSON.parse(Buffer.concat(parts).toString()) as Record<string, unknown>)
    reply.end('thanks')
  })
})
let server: TestServer
let admin: TestUser
beforeAll(async () => {
  await new Promise<void>((resolve) => vendor.listen(0, '127.0.0.1', resolve))
  const { port } = vendor.address() as AddressInfo
  server = await startServer({ clock, config: { telemetryUrl: `http://127.0.0.1:${port}/in` } })
  admin = await server.build.user({ admin: true })
})
afterAll(async () => {
  await server.close()
  vendor.closeAllConnections()
  vendor.close()
})

test('the vendor hears counts once a day, under an id that is for nothing else, and only while that is wanted', async () => {
  const { telemetry: report } = server.app.services
  // The server told it when it started.
  await until(
    async () => received.length,
    (n) => n === 1,
  )
  await report()
  expect(received).toHaveLength(1)
  clock.turn(day)
  await report()
  const [, second] = received
  expect(second).toEqual({
    id: received[0]!.id,
    version: expect.any(String),
    node: process.version,
    database: server.app.database.kind,
    users: 1,
    teams: 0,
    instancesByState: {},
  })
  expect(JSON.stringify(received)).not.toContain(await server.app.services.licences.platformId())
  admin = await server.build.user({ admin: true })
  await admin.client.call('settings.update', { body: { 'telemetry:enabled': false } })
  clock.turn(day)
  await report()
  expect(received).toHaveLength(2)
})

test('a vendor who does not answer hinders nothing', async () => {
  await server.build.setting('telemetry:enabled', true)
  vendor.closeAllConnections()
  await new Promise((resolve) => vendor.close(resolve))
  clock.turn(day)
  await expect(server.app.services.telemetry()).resolves.toBeUndefined()
})
