import { type Driver, type Endpoint, type Slot, slots } from '@app/drivers'
import type { Spare } from '../../platform/proxy/index.ts'
import type { Activity } from '../sleep/index.ts'
import type { Visitor } from './proxy.visitor.ts'

/** Where a request goes. */
export interface Way {
  endpoint: Endpoint
  /** The endpoint of the other process, if it serves too; while a version takes over, of what serves afterwards. */
  spare?: Spare
  begin: (exchange?: { destroy(): void }) => () => void
}

/** 0 or 1, for one text always the same, for many texts about as often. */
function sideOf(text: string): number {
  let hash = 0
  for (let at = 0; at < text.length; at++) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0
  return (Math.imul(hash, 0x9e3779b1) >>> 16) & 1
}

const sideFor = (visitor: Visitor) => ('slot' in visitor ? visitor.slot : sideOf(visitor.name))

interface Use {
  /** Requests and WebSockets under way. */
  open: number
  /** Number of requests and WebSockets begun since `takeRequests` was called last. */
  asked: number
  /** Called when none is under way any more. */
  idle: (() => void) | undefined
  /** Exchanges under way that can be cut off. */
  exchanges: Set<{ destroy(): void }>
  begin: Way['begin']
}

/** Maximum wait of a request, in milliseconds, during a takeover in which neither version of the instance answers. */
export const patienceMs = 10_000
/** Requests that wait for one instance; further ones are told to come again. */
const mostWaiting = 500

export type Traffic = ReturnType<typeof createTraffic>

/** Spreads what is asked of an instance over its processes, and knows what each has in hand. */
export function createTraffic({ driver, activity }: { driver: Driver; activity: Activity }) {
  const uses = new Map<string, Use>()
  const leaving = new Set<string>()
  const turns = new Map<string, number>()
  const closed = new Set<string>()
  const takeovers = new Map<string, { moved: PromiseWithResolvers<void>; waiting: number }>()
  const keyOf = (id: string, slot: Slot) => `${id} ${slot}`

  function useOf(id: string, slot: Slot): Use {
    const key = keyOf(id, slot)
    const known = uses.get(key)
    if (known) return known
    const begun = activity.beginOf(id)
    const use: Use = {
      open: 0,
      asked: 0,
      idle: undefined,
      exchanges: new Set(),
      begin(exchange) {
        use.open += 1
        use.asked += 1
        const end = begun()
        if (exchange) use.exchanges.add(exchange)
        return () => {
          if (exchange) use.exchanges.delete(exchange)
          use.open -= 1
          if (use.open === 0) use.idle?.()
          end()
        }
      },
    }
    uses.set(key, use)
    return use
  }

  function takenOver(id: string, mostMs = patienceMs): Promise<void> | undefined {
    const entry = takeovers.get(id)
    if (!entry || entry.waiting >= mostWaiting || mostMs <= 0) return undefined
    entry.waiting += 1
    const late = Promise.withResolvers<void>()
    const timer = setTimeout(late.resolve, mostMs)
    return Promise.race([entry.moved.promise, late.promise]).finally(() => {
      clearTimeout(timer)
      entry.waiting -= 1
    })
  }

  async function servesAfterwards(id: string, until: number | undefined): Promise<Endpoint | undefined> {
    await takenOver(id, until === undefined ? patienceMs : until - Date.now())
    return driver.pair?.serving(id)[0]?.endpoint
  }

  return {
    /**
     * Where the next request to this instance goes; undefined while it answers nowhere. To the processes in turn, but
     * to one and the same while both serve for requests of one `visitor`. `until`: when the patience of a request ends that
     * has waited already, in milliseconds since the epoch.
     */
    next(id: string, visitor?: Visitor, until?: number): Way | undefined {
      if (closed.has(id)) return undefined
      const all = driver.pair?.serving(id) ?? []
      const stay = all.length > 1 ? all.filter(({ slot }) => !leaving.has(keyOf(id, slot))) : all
      const [first, second] = stay.length > 0 ? stay : all
      if (!first) {
        const endpoint = driver.endpoint(id)
        return endpoint && { endpoint, begin: useOf(id, 0).begin }
      }
      const { endpoint } = first
      const { begin } = useOf(id, first.slot)
      if (!second)
        return takeovers.has(id) ? { endpoint, spare: () => servesAfterwards(id, until), begin } : { endpoint, begin }
      const turn = visitor === undefined ? 1 - (turns.get(id) ?? 1) : sideFor(visitor)
      if (visitor === undefined) turns.set(id, turn)
      const [one, other] = turn === 0 ? [first, second] : [second, first]
      return { endpoint: one.endpoint, spare: other.endpoint, begin: useOf(id, one.slot).begin }
    },

    /** Sends an instance nothing, also where nothing stands in for it, until `open`. */
    close: (id: string): void => void closed.add(id),
    open: (id: string): void => void closed.delete(id),

    /** Requests wait where nothing answers during `takeover`: see `takenOver`. */
    async during(id: string, takeover: () => Promise<void>): Promise<void> {
      const entry = { moved: Promise.withResolvers<void>(), waiting: 0 }
      takeovers.set(id, entry)
      try {
        await takeover()
      } finally {
        if (takeovers.get(id) === entry) takeovers.delete(id)
        entry.moved.resolve()
      }
    },
    /** The other version answers from now on, and is still judged. Whoever waits is sent to it. */
    moved(id: string): void {
      const entry = takeovers.get(id)
      entry?.moved.resolve()
      if (entry) entry.moved = Promise.withResolvers()
    },
    /**
     * Resolves when another version answers, when the takeover has ended, or after the patience; undefined where none is
     * under way.
     */
    takenOver,

    /** Ends all that is under way with an instance. */
    cut(id: string): void {
      for (const slot of slots) for (const exchange of uses.get(keyOf(id, slot))?.exchanges ?? []) exchange.destroy()
    },

    /** Number of requests and WebSockets that went to this process since this was asked last. */
    takeRequests(id: string, slot: Slot): number {
      const use = uses.get(keyOf(id, slot))
      const asked = use?.asked ?? 0
      if (use) use.asked = 0
      return asked
    },

    /** Sends nothing more to a process that another can stand in for, and waits, at most so long, until it has nothing in hand. */
    async release(id: string, slot: Slot, mostMs: number): Promise<void> {
      leaving.add(keyOf(id, slot))
      const use = useOf(id, slot)
      if (use.open === 0) return
      const done = Promise.withResolvers<void>()
      use.idle = done.resolve
      const timer = setTimeout(done.resolve, mostMs)
      await done.promise
      clearTimeout(timer)
      use.idle = undefined
    },
    /** It may be sent something again. */
    claim: (id: string, slot: Slot): void => void leaving.delete(keyOf(id, slot)),
  }
}
