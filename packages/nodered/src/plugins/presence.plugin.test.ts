import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { CallOptions } from '../platform.client.ts'
import type { Comms, EditorConnection } from '../stack.ts'
import { watchPresence } from './presence.plugin.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function begin() {
  const sent: unknown[] = []
  const comms: Comms = { addConnection: async () => {}, removeConnection: async () => {} }
  const platform = {
    async call(_path: string, { body }: CallOptions = {}) {
      sent.push(body)
    },
  }
  const presence = watchPresence({ runtime: { comms } as never }, platform, 'one', () => {})
  const page = (userId: string): EditorConnection => ({ user: { userId } })
  const settle = () => vi.advanceTimersByTimeAsync(1_000)
  return { sent, comms, presence, page, settle }
}

test('people are reported once each when their pages come and go, under the start of the process', async () => {
  const { sent, comms, presence, page, settle } = begin()
  presence.begin(7)
  const pages = [page('bob'), page('alice'), page('alice')]
  for (const client of pages) await comms.addConnection({ client })
  await settle()
  await comms.removeConnection({ client: pages[1]! })
  await settle()
  await comms.removeConnection({ client: pages[0]! })
  await comms.removeConnection({ client: pages[2]! })
  await settle()
  expect(sent).toEqual([
    { startedAt: 7, users: ['alice', 'bob'] },
    { startedAt: 7, users: [] },
  ])
})

test('a page that reloads is no change, and nothing is reported before the process has started', async () => {
  const { sent, comms, presence, page, settle } = begin()
  const first = page('alice')
  await comms.addConnection({ client: first })
  await settle()
  expect(sent).toEqual([])
  presence.begin(7)
  await settle()
  await comms.removeConnection({ client: first })
  await comms.addConnection({ client: page('alice') })
  await settle()
  expect(sent).toEqual([{ startedAt: 7, users: ['alice'] }])
})
