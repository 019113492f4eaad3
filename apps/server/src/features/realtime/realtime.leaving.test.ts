import Fastify from 'fastify'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { UserActor } from '../../platform/authz/actor.ts'
import { createRealtime, type RealtimeDependencies } from './realtime.routes.ts'

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

/** A server with nothing but streams, on the loopback address. */
async function startStreams(asked: Pick<RealtimeDependencies, 'watchedBy' | 'stillSignedIn'>) {
  const bus = { publish: async () => {}, subscribe: () => () => {}, onGap: () => () => {}, close: async () => {} }
  const realtime = createRealtime({ bus, consoleOrigin: 'http://localhost', ...asked })
  const app = Fastify()
  const calls = { came: 0, left: 0 }
  app.get('/', async (call, reply) => {
    calls.came += 1
    reply.raw.once('close', () => (calls.left += 1))
    const input = { params: undefined, query: {}, body: undefined }
    await realtime.handlers['events.stream']({ actor, request: call, reply }, input)
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  onTestFinished(async () => {
    realtime.close()
    await app.close()
  })
  return { port, calls }
}

test('browsers that leave while their teams are looked up keep no seat', async () => {
  const known = Promise.withResolvers<Map<string, Map<string, 'all'>>>()
  const { port, calls } = await startStreams({
    watchedBy: () => known.promise,
    stillSignedIn: async (actors) => new Set(actors),
  })
  const browsers = Array.from({ length: 50 }, () => {
    const browser = request({ host: '127.0.0.1', port, agent: false })
    browser.on('error', () => {})
    return browser.end()
  })
  await expect.poll(() => calls.came).toBe(50)
  for (const browser of browsers) browser.destroy()
  await expect.poll(() => calls.left).toBe(50)
  known.resolve(new Map())
  const next = await fetch(`http://127.0.0.1:${port}/`)
  expect(next.status).toBe(200)
  await next.body!.cancel()
})

test('a stream whose session has ended since its request was let in ends before it is ready', async () => {
  const { port } = await startStreams({ watchedBy: async () => new Map(), stillSignedIn: async () => new Set() })
  const stream = await fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(5_000) })
  expect(await stream.text()).toBe('retry: 1000\n\n')
})

test('a stream whose teams cannot be read ends, so that the browser connects again', async () => {
  const { port } = await startStreams({
    watchedBy: async () => Promise.reject(new Error('the database is away')),
    stillSignedIn: async (actors) => new Set(actors),
  })
  const stream = await fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(5_000) })
  expect(await stream.text()).toBe('retry: 1000\n\n')
})
