import type { Driver, Endpoint, InstanceStatus } from '@app/drivers'
import type { Bus } from '../../platform/events/bus.ts'
import type { Clock } from '../../platform/clock.ts'
import { Failure } from '../../platform/http/failure.ts'
import type { BriefInstance } from '../instances/index.ts'

/** Maximum time that a request waits for its instance to wake. */
const patienceMs = 30_000
/** Requests that wait for one instance; further ones are told to come again. */
const mostWaiting = 500
/** After a failed try the next one is not made at once: every request would be one. */
const retryMs = 30_000

export interface WakingDependencies {
  bus: Bus
  driver: Driver
  clock: Clock
  /** Asks for the instance to be woken; fails when somebody else works on it already. */
  wake(row: BriefInstance): Promise<void>
  look(name: string): Promise<BriefInstance | undefined>
}

/** Wakes sleeping instances for the requests that wait for them. */
export function createWaking({ bus, driver, clock, wake, look }: WakingDependencies) {
  const waking = new Map<string, { result: Promise<Endpoint | string>; waiting: number }>()
  const failedAt = new Map<string, number>()
  const closed = Promise.withResolvers<void>()

  /** Resolves with the endpoint once Node-RED runs, or with the state to show when it will not. */
  async function rouse(row: BriefInstance): Promise<Endpoint | string> {
    const { id } = row
    let moved = Promise.withResolvers<void>()
    const move = () => {
      moved.resolve()
      moved = Promise.withResolvers<void>()
    }
    const stops = [
      bus.subscribe((event) => void ('id' in event && event.id === id && move())),
      bus.onGap(move),
      // Told before it is recorded, and whoever waits need not wait for that.
      driver.watch((changed) => void (changed === id && move())),
    ]
    let open = true
    void closed.promise.then(() => {
      open = false
      move()
    })
    try {
      for (let asked = false; open; ) {
        const next = moved.promise
        const now = await look(row.name.toLowerCase())
        if (!now) return 'unknown'
        const endpoint = now.in_flight === 'suspending' ? undefined : driver.endpoint(id)
        if (endpoint && isUp(await driver.status(id))) return endpoint
        if (now.asleep === 0 && now.in_flight === null) return now.wanted === 'suspended' ? 'suspended' : now.observed
        if (now.asleep === 1 && now.in_flight === null) {
          if (asked) {
            failedAt.set(id, clock.now())
            return 'error'
          }
          asked = await ask(now)
          if (asked) continue
        }
        await next
      }
      return 'waking'
    } finally {
      for (const stop of stops) stop()
    }
  }

  /** False while somebody else works on it, who will leave it in another state. */
  async function ask(row: BriefInstance): Promise<boolean> {
    try {
      await wake(row)
      return true
    } catch (error) {
      if (error instanceof Failure && error.code === 'invalid_state') return false
      throw error
    }
  }

  return {
    /** The endpoint of a sleeping instance once it is awake, or the state to show instead. */
    async wait(row: BriefInstance): Promise<Endpoint | string> {
      if (clock.now() - (failedAt.get(row.id) ?? 0) < retryMs) return 'error'
      let entry = waking.get(row.id)
      if (!entry) {
        const result = rouse(row).finally(() => waking.delete(row.id))
        entry = { result, waiting: 0 }
        waking.set(row.id, entry)
      }
      if (entry.waiting >= mostWaiting) return 'waking'
      entry.waiting += 1
      const late = Promise.withResolvers<'waking'>()
      const timer = setTimeout(() => late.resolve('waking'), patienceMs)
      try {
        return await Promise.race([entry.result, late.promise])
      } finally {
        clearTimeout(timer)
        entry.waiting -= 1
      }
    },
    close: (): void => closed.resolve(),
  }
}

const isUp = ({ state }: InstanceStatus) => state === 'running' || state === 'safe'
