import type { Bus } from '../../platform/events/bus.ts'
import { fail } from '../../platform/http/failure.ts'

const timeoutMs = 25_000

/**
 * Begins a deletion and resolves when it is done.
 * @throws Failure unexpected_error with the reason why it failed, or when it takes too long to be waited for.
 */
export async function untilDeleted(bus: Bus, id: string, begin: () => Promise<void>): Promise<void> {
  const ended = Promise.withResolvers<void>()
  ended.promise.catch(() => undefined)
  const unsubscribe = bus.subscribe((event) => {
    if (event.type === 'instance.deleted' && event.id === id) ended.resolve()
    if (event.type === 'job' && event.subject === id && event.job.state === 'failed') {
      ended.reject(fail('unexpected_error', event.job.error))
    }
  })
  // It goes on as a job; to say that it is done would not be true yet.
  const late = () =>
    ended.reject(fail('unexpected_error', 'Deleting takes longer than usual and continues in the background'))
  const timer = setTimeout(late, timeoutMs)
  try {
    await begin()
    await ended.promise
  } finally {
    unsubscribe()
    clearTimeout(timer)
  }
}
