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

test('of a browser that leaves while its teams are looked up nothing stays behind', async () => {
  const listening = new Set<unknown>()
  const listen = (listener: unknown) => {
    listening.add(listener)
    return () => void listening.delete(listener)
  }
  const asked = Promise.withResolvers<void>()
  const known = Promise.withResolvers<string[]>()
  const realtime = createRealtime({
    bus: { publish: async () => {}, subscribe: listen, onGap: listen, close: async () => {} },
    consoleOrigin: 'http://localhost',
    async teamIdsOf() {
      asked.resolve()
      return known.promise
    },
    stillSignedIn: async () => true,
  })
  const app = Fastify()
  const left = Promise.withResolvers<void>()
  app.get('/', async (call, reply) => {
    reply.raw.once('close', left.resolve)
    await realtime.handlers['events.stream'](
      { actor, request: call, reply },
      {
        params: undefined,
        query: {},
        body: undefined,
      },
    )
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const browser = request({ host: '127.0.0.1', port: (app.server.address() as AddressInfo).port })
  browser.on('error', () => {})
  browser.end()
  await asked.promise
  browser.destroy()
  await left.promise
  known.resolve([])
  await expect.poll(() => listening.size).toBe(0)
  await app.close()
  expect(listening.size).toBe(0)
})
