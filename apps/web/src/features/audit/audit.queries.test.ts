import { afterEach, expect, test, vi } from 'vitest'
import { api } from '../../lib/api.ts'
import { createQueryClient } from '../../lib/api-query.ts'
import { platformUsersQuery } from './audit.queries.ts'

afterEach(() => void vi.restoreAllMocks())

test('[AUDIT-23] the users of the platform log are those of all pages', async () => {
  const pages = [
    { meta: { next_cursor: 'u1' }, count: 2, users: [{ id: 'u1', username: 'alice' }] },
    { meta: {}, count: 2, users: [{ id: 'u2', username: 'bob' }] },
  ]
  const call = vi.spyOn(api, 'call').mockImplementation(async () => Promise.resolve(pages.shift() as never))
  expect((await createQueryClient().fetchQuery(platformUsersQuery)).map(({ username }) => username)).toEqual([
    'alice',
    'bob',
  ])
  expect(call.mock.calls).toEqual([
    ['user.list', { query: { limit: 1000 } }],
    ['user.list', { query: { limit: 1000, cursor: 'u1' } }],
  ])
})
