import { afterEach, expect, test, vi } from 'vitest'
import { createAnalytics, flagsIn } from './analytics.client.ts'

afterEach(() => vi.unstubAllGlobals())

test('flags are those that are on, with their payloads, in the answers of new servers and old ones', () => {
  const flags = {
    on: { enabled: true, metadata: { payload: '{}' } },
    bare: { enabled: true },
    off: { enabled: false, metadata: { payload: '1' } },
  }
  const found = new Map([
    ['on', '{}'],
    ['bare', undefined],
  ])
  expect(flagsIn({ flags })).toEqual(found)
  const featureFlags = { on: 'variant', bare: true, off: false }
  expect(flagsIn({ featureFlags, featureFlagPayloads: { on: '{}', off: '1' } })).toEqual(found)
  for (const other of [null, 'no', {}, { flags: { on: 1 } }]) expect(flagsIn(other)).toEqual(new Map())
})

test('what was done as nobody belongs to whoever signs in, and nothing to who comes after them', () => {
  const said: { event: string; distinct_id: string; properties: Record<string, unknown> }[] = []
  vi.stubGlobal('fetch', (_url: string, { body }: { body: string }) => {
    said.push(JSON.parse(body) as (typeof said)[number])
    // The server is away: nobody hears of it.
    return Promise.reject(new TypeError('Failed to fetch'))
  })
  const client = createAnalytics({ key: 'k', url: 'https://eu.example.com' })
  client.capture('before', {})
  client.identify('alice', {})
  client.identify('alice', {})
  client.capture('during', {})
  client.forget()
  client.capture('after', {})
  client.identify('bob', {})
  const [before, alice, during, after, bob] = said
  expect(said.map(({ event }) => event)).toEqual(['before', '$identify', 'during', 'after', '$identify'])
  expect([alice!.distinct_id, during!.distinct_id, bob!.distinct_id]).toEqual(['alice', 'alice', 'bob'])
  expect(alice!.properties['$anon_distinct_id']).toBe(before!.distinct_id)
  expect(bob!.properties['$anon_distinct_id']).toBe(after!.distinct_id)
  expect(new Set(said.map(({ distinct_id }) => distinct_id)).size).toBe(4)
})
