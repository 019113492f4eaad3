import type { User } from '@app/contract'
import { ApiError, NetworkError } from '@app/client'
import { afterEach, describe, expect, test } from 'vitest'
import { toast, toasts } from '../ui/toast.ts'
import { clearToastsBeforeEach } from '../ui/testing/toasts.ts'
import { keys } from './api-keys.ts'
import { isOffline, setOffline } from './api-offline.ts'
import { createQueryClient } from './api-query.ts'
import { hasSessionEnded, setSessionEnded } from './session-ended.ts'

const user = { id: 'u1', email_verified: true } as User

clearToastsBeforeEach()
/** Other files of the same worker share these. */
afterEach(() => {
  setOffline(false)
  setSessionEnded(false)
})

/** Runs a write that nobody catches and that fails like this, for this user. */
async function failing(error: Error, as: User | null = user) {
  const client = createQueryClient()
  client.setQueryData(keys.user, as)
  const write = client.getMutationCache().build(client, { mutationFn: () => Promise.reject(error) })
  await write.execute(undefined).catch(() => undefined)
  return {
    user: client.getQueryData(keys.user),
    toasts: toasts.current().map(({ kind, message, detail, countdown }) => ({ kind, message, detail, countdown })),
  }
}
/** Reads something that fails like this, where a page shows `before` of it. */
async function failingRead(error: Error, before?: string) {
  const client = createQueryClient()
  client.setQueryData(keys.user, user)
  if (before !== undefined) client.setQueryData(['list'], before)
  await client
    .fetchQuery({ queryKey: ['list'], queryFn: () => Promise.reject(error), staleTime: 0, retry: false })
    .catch(() => undefined)
  return toasts.current().map(({ message, detail }) => ({ message, detail }))
}
const refused = (status: number, message = 'No.') => new ApiError(status, { code: 'c', message })

describe('a call that fails and that nobody catches', () => {
  test('[CONST-02] [API-05] a fault of the server is a warning for 7500 ms, with its error and message', async () => {
    const { toasts: said } = await failing(refused(500, 'It broke'))
    expect(said).toEqual([{ kind: 'warning', message: 'It broke', detail: 'c', countdown: 7500 }])
  })
  test('[API-06] any other refusal is a request that failed', async () => {
    const { toasts: said } = await failing(refused(418, 'Teapot'))
    expect(said).toMatchObject([{ kind: 'warning', message: 'Request Failed: Teapot' }])
  })
  test('[API-03] [SHELL-43] GATE-401: a session that is over ends here as well, without a word', async () => {
    expect(await failing(refused(401))).toEqual({ user: null, toasts: [] })
    expect(hasSessionEnded()).toBe(true)
  })
  test('[SHELL-43] GATE-LOCKED: not while a gate locks the session', async () => {
    for (const locked of [{ password_expired: true as const }, { email_verified: false }])
      expect((await failing(refused(401), { ...user, ...locked })).user).toMatchObject({ id: 'u1' })
  })
  test('[SHELL-43] GATE-BILLING: a payment that is missing is told in the words of the server', async () => {
    const { user: still, toasts: said } = await failing(refused(402, 'Set up payment for this team first'))
    expect(still).toMatchObject({ id: 'u1' })
    expect(said).toMatchObject([{ message: expect.stringContaining('Set up payment for this team first') as string }])
  })
  test('[API-03] nobody who is not signed in hears of a session that ended', async () => {
    await failing(refused(401), null)
    expect(hasSessionEnded()).toBe(false)
  })
  test('a fault whose name says nothing is told in words alone', async () => {
    const fault = new ApiError(500, { code: 'unexpected_error', message: 'Something went wrong on the server' })
    expect((await failing(fault)).toasts).toMatchObject([{ message: fault.message, detail: undefined }])
  })
  test('a fault of the server on a write whose caller says what failed is one notice', async () => {
    const client = createQueryClient()
    const write = client.getMutationCache().build(client, {
      mutationFn: () => Promise.reject(refused(500, 'It broke')),
      onError: () => toast.warning('Flows were not restored.', { detail: 'It broke' }),
    })
    await write.execute(undefined).catch(() => undefined)
    expect(toasts.current()).toMatchObject([{ message: 'Flows were not restored.', detail: 'It broke (c)' }])
  })
  test('a list that could not be read says so on its page; one that goes on showing says it by the way', async () => {
    expect(await failingRead(refused(500, 'It broke'))).toEqual([])
    expect(await failingRead(refused(500, 'It broke'), 'as it was')).toEqual([{ message: 'It broke', detail: 'c' }])
  })
  test('[API-04] [SHELL-43] GATE-NET: no answer puts the offline screen up', async () => {
    await failing(new NetworkError('No answer'))
    expect(isOffline()).toBe(true)
  })
})
