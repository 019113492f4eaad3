import type { CompiledQuery, LogEvent } from 'kysely'
import { createHash } from 'node:crypto'
import type { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { troubleOf } from './trouble.ts'

/** After a failure, reads take connections of the pool for so long. */
const retryMs = 10_000
/** While a query has waited longer for its answer, further ones take connections of the pool. */
const slowMs = 50
/** A connection that nobody used for so long may have been forgotten on the way: it is made again, as in the pool. */
const idleMs = 10_000
/** A read whose connection is lost sooner is made again by the pool. */
const againMs = 100
const closeMs = 1_000
/** A table has other columns since the statement was prepared. */
const changed = '0A000'
/** A pooler of connections has put another one in the place of that on which it was prepared. */
const mixed = new Set(['26000', '42P05'])

interface Shared {
  client: pg.Client
  /** Its queries without an answer, the oldest first. */
  waiting: Set<{ since: number }>
  usedAt: number
  /** Its writes are held until the turn of the event loop ends. */
  isHeld: boolean
}

/** The stream under a connection, which the driver does not declare. */
export const streamOf = (client: pg.ClientBase): Writable =>
  (client as unknown as { connection: { stream: Writable } }).connection.stream

/**
 * Runs short reads of all requests over one connection, each sent without waiting for the answer to the one before, and
 * those that are asked for in one turn of the event loop together: to wake PostgreSQL costs more than such a query.
 * @param connect makes a connection that does not wait for answers.
 * @param onQuery is told of each answered one.
 */
export function sharedReads(connect: () => Promise<pg.Client>, onQuery?: (event: LogEvent) => void) {
  let shared: Shared | undefined
  let opening: Promise<void> | undefined
  let openAt = 0
  let closed = false
  const names = new Map<string, string>()

  async function open(): Promise<void> {
    openAt = performance.now() + retryMs
    // The connections of the pool are used meanwhile, and say what is wrong with the database.
    const client = await connect().catch(() => undefined)
    if (!client) return
    const made: Shared = { client, waiting: new Set(), usedAt: performance.now(), isHeld: false }
    const lost = () => drop(made)
    client.once('error', lost).once('end', lost)
    shared = made
  }

  /** Asks nothing more over this one. Answers that are under way still come. */
  function drop(one: Shared, nextAt = 0): void {
    if (shared !== one) return
    shared = undefined
    openAt = nextAt
    void one.client.end().catch(() => undefined)
  }

  function usable(now: number): Shared | undefined {
    if (shared?.waiting.size === 0 && now - shared.usedAt > idleMs) drop(shared)
    if (!shared && !closed && now >= openAt) opening = open()
    const [oldest] = shared?.waiting ?? []
    return oldest && now - oldest.since > slowMs ? undefined : shared
  }

  function hold(one: Shared): void {
    if (one.isHeld) return
    const stream = streamOf(one.client)
    one.isHeld = true
    stream.cork()
    setImmediate(() => {
      one.isHeld = false
      stream.uncork()
    })
  }

  /** By its text, so that it means the same to every server. */
  function nameOf(sql: string): string {
    const known = names.get(sql)
    if (known) return known
    const name = `read_${createHash('sha256').update(sql).digest('hex').slice(0, 32)}`
    names.set(sql, name)
    return name
  }

  return {
    /** Resolves to the rows of the query; to undefined where a connection of the pool must run it. */
    async read(query: CompiledQuery): Promise<unknown[] | undefined> {
      const mine = { since: performance.now() }
      const one = usable(mine.since)
      if (!one) return undefined
      hold(one)
      one.waiting.add(mine)
      const { sql: text, parameters } = query
      try {
        const { rows } = await one.client.query<object>({ name: nameOf(text), text, values: [...parameters] })
        one.usedAt = performance.now()
        onQuery?.({ level: 'query', query, queryDurationMillis: one.usedAt - mine.since })
        return rows
      } catch (error) {
        const { code = '' } = error as { code?: string }
        const now = performance.now()
        const isPassing = troubleOf(error) === 'away' && now - mine.since < againMs
        if (code !== changed && !mixed.has(code) && !isPassing) throw error
        drop(one, mixed.has(code) ? now + retryMs : 0)
        return undefined
      } finally {
        one.waiting.delete(mine)
      }
    },
    /** Answers that are under way still come, where the database gives them. */
    async close(): Promise<void> {
      closed = true
      await opening
      await Promise.race([shared?.client.end(), sleep(closeMs, undefined, { ref: false })])
    },
  }
}
