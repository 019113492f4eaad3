import { intervals } from '@app/contract/constants'
import type { Deployment, PushEvent } from '@app/contract'
import { environmentManager, QueryClient } from '@tanstack/react-query'
import { expect, onTestFinished, test, vi } from 'vitest'
import { ApiError, NetworkError } from '../../lib/api.ts'
import { keys } from '../../lib/api-keys.ts'
import { openStream } from '../../lib/realtime.ts'
import { endOf } from './deployment-end.ts'

const going = { id: 'new', state: 'running' } as Deployment
const ended = { ...going, state: 'failed', endedAt: '2026-01-01T00:00:00.000Z' } as Deployment
const before = { ...ended, id: 'old', state: 'done' } as Deployment

/** Somebody waits for the end of a deployment; each reading waits for its answer. `last` is what was read before. */
function wait(last?: Deployment) {
  vi.useFakeTimers()
  // Where there is no window nothing is asked again by itself.
  environmentManager.setIsServer(() => false)
  onTestFinished(() => {
    vi.useRealTimers()
    vi.unstubAllGlobals()
    environmentManager.setIsServer(() => true)
  })
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  const readings: PromiseWithResolvers<Deployment | null>[] = []
  const queryKey = keys.deployments('oven', 'last')
  if (last) client.setQueryData(queryKey, last)
  const queryFn = () => {
    readings.push(Promise.withResolvers())
    return readings.at(-1)!.promise
  }
  const result: { end?: Deployment | null | undefined } = {}
  void endOf(client, { queryKey, queryFn }).then((end) => Object.assign(result, { end }))
  const pass = (ms = 0) => vi.advanceTimersByTimeAsync(ms)
  return {
    client,
    readings,
    result,
    pass,
    async answer(to: Deployment | Error) {
      await pass()
      if (to instanceof Error) readings.at(-1)!.reject(to)
      else readings.at(-1)!.resolve(to)
      await pass()
    },
  }
}

/** The stream of the platform, which tells what it is given. */
function stream(client: QueryClient) {
  const listeners: Record<string, (event: { data?: string }) => void> = {}
  class Source {
    static readonly CLOSED = 2
    readyState = 0
    addEventListener = (name: string, listener: (event: object) => void) => void (listeners[name] = listener)
    close = () => undefined
  }
  vi.stubGlobal('EventSource', Source)
  onTestFinished(openStream(client))
  listeners.ready!({})
  return {
    tell: (job: object) => {
      const event = { type: 'job', subject: 'oven', job: { kind: 'deployment.push', ...job } } as PushEvent
      listeners.message!({ data: JSON.stringify(event) })
    },
    breakOff: () => listeners.error!({}),
  }
}

test('the end is told by push, without asking in between, and one before it is not taken for it', async () => {
  const { client, readings, result, pass, answer } = wait(before)
  const { tell } = stream(client)
  await answer(going)
  tell({ id: 'job', steps: [] })
  await pass(600_000)
  expect([readings.length, result]).toEqual([1, {}])
  tell({ id: 'job', steps: [], endedAt: ended.endedAt })
  await answer(ended)
  expect([readings.length, result]).toEqual([2, { end: ended }])
})

test('while nothing is pushed it is asked for now and then, also after push has broken off', async () => {
  const { client, readings, result, pass, answer } = wait()
  const { breakOff } = stream(client)
  await answer(going)
  breakOff()
  await pass(intervals.deploymentPoll)
  await answer(going)
  await pass(intervals.deploymentPoll)
  await answer(ended)
  expect([readings.length, result]).toEqual([3, { end: ended }])
  await pass(600_000)
  expect(readings.length).toBe(3)
})

test('a platform that cannot answer now is asked again, although push works', async () => {
  const { client, readings, result, pass, answer } = wait()
  stream(client)
  for (const status of [503, 502, 429]) {
    await answer(new ApiError(status, { code: 'busy', error: 'Later' }))
    await pass(intervals.deploymentPoll)
  }
  await answer(new NetworkError('no answer'))
  await pass(intervals.deploymentPoll)
  await answer(ended)
  expect([readings.length, result]).toEqual([5, { end: ended }])
})

test('a platform that does not answer is waited for, and a refusal ends it', async () => {
  const { readings, result, pass, answer } = wait()
  await answer(new NetworkError('no answer'))
  await pass(intervals.deploymentPoll)
  expect([readings.length, result]).toEqual([2, {}])
  await answer(new ApiError(404, { code: 'not_found', error: 'Not found' }))
  expect(result).toEqual({ end: undefined })
})
