import type { Logger } from 'pino'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db/database.ts'
import { touchInstances } from '../instances/index.ts'

/** Use is recorded once a minute, for all instances at once. */
const recordEveryMs = 60_000

interface Use {
  /** Requests and WebSockets under way. */
  open: number
  last: number
  recorded: number
  begin(): () => void
}

export type Activity = ReturnType<typeof createActivity>

/** Knows which instances are being asked things, at the cost of a counter a request. */
export function createActivity({ database, clock, log }: { database: Database; clock: Clock; log: Logger }) {
  const uses = new Map<string, Use>()
  const since = clock.now()
  let timer: NodeJS.Timeout | undefined

  function useOf(id: string): Use {
    const known = uses.get(id)
    if (known) return known
    const end = () => {
      use.open -= 1
      use.last = clock.now()
    }
    const begin = () => {
      use.open += 1
      use.last = clock.now()
      return end
    }
    const use: Use = { open: 0, last: since, recorded: since, begin }
    uses.set(id, use)
    return use
  }

  async function record(): Promise<void> {
    const now = clock.now()
    const fresh = [...uses].filter(([, use]) => use.last > use.recorded || use.open > 0)
    if (fresh.length === 0) return
    try {
      const ids = fresh.map(([id]) => id)
      await touchInstances(database.read, ids, now)
      for (const [, use] of fresh) use.recorded = now
    } catch (error) {
      log.warn({ err: error }, 'use of instances not recorded')
    }
  }

  return {
    /** Notes the beginning of a request to this instance; the returned function notes its end. */
    beginOf: (id: string): (() => () => void) => useOf(id).begin,
    /** It is about to be asked something. */
    touch: (id: string): void => void (useOf(id).last = clock.now()),
    /** Milliseconds since it was last asked something, or since this server began; 0 while something is under way. */
    idleFor(id: string): number {
      const use = uses.get(id)
      return use && use.open > 0 ? 0 : clock.now() - (use?.last ?? since)
    },
    forget: (id: string): void => void uses.delete(id),
    start: (): void => void (timer = setInterval(() => void record(), recordEveryMs)),
    /** Records now what was used since the last time. */
    record,
    async stop(): Promise<void> {
      clearInterval(timer)
      await record()
    },
  }
}
