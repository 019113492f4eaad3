import Fastify from 'fastify'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import type { UserActor } from '../../platform/authz/actor.ts'
import { createRealtime } from './index.ts'

const actor: UserActor = {
  kind: 'user',
  userId: 'someone',
  username: 'someone',
  name: 'Someone',
  admin: false,
  locked: false,
  via: { session: 'one' },
  address: '127.0.0.1',
}

test('browsers that leave while their teams are looked up keep no seat', async () => {
  const known = Promise.withResolvers<Map<string, string[]>>()
  let asked = 0
  const realtime = createRealtime({
    bus: { publish: async () => {}, subscribe: () => () => {}, onGap: () => () => {}, close: async () => {} },
    consoleOrigin: 'http://localhost',
    async teamIdsOf() {
      asked += 1
      return known.promise
    },
    stillSignedIn: async (actors) => new Set(actors),
  })
  const app = Fastify()
  let left = 0
  app.get('/', async (call, reply) => {
    reply.raw.once('close', () => (left += 1))
    const input = { params: undefined, query: {}, body: undefined }
    await realtime.handlers['events.stream']({ actor, request: call, reply }, input)
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const browsers = Array.from({ length: 50 }, () => {
    const browser = request({ host: '127.0.0.1', port, agent: false })
    browser.on('error', () => {})
    return browser.end()
  })
  await expect.poll(() => asked).toBe(50)
  for (const browser of browsers) browser.destroy()
  await expect.poll(() => left).toBe(50)
  known.resolve(new Map())
  const next = await fetch(`http://127.0.0.1:${port}/`)
  expect(next.status).toBe(200)
  await next.body!.cancel()
  realtime.close()
  await app.close()
})
