import { QueryClient } from '@tanstack/react-query'
import { afterEach, expect, test, vi } from 'vitest'
import { api, ApiError, NetworkError } from '../../lib/api.ts'
import { slugQuery } from './teams.queries.ts'

afterEach(() => vi.restoreAllMocks())

const refused = (status: number, code: string) => new ApiError(status, { code })

test.each([
  ['a conflict', refused(409, 'invalid_slug'), 'taken'],
  ['a server at fault', refused(500, 'unexpected_error'), 'free'],
  ['no connection', new NetworkError(), 'free'],
])('%s tells about a slug only what is known', async (_name, error, expected) => {
  vi.spyOn(api, 'call').mockRejectedValue(error)
  expect(await new QueryClient().fetchQuery(slugQuery('one'))).toBe(expected)
})
