import type { CompiledQuery, LogEvent } from 'kysely'
import type { Writable } from 'node:stream'
import type pg from 'pg'

/** A connection that could not be made is tried again after so long. */
const retryMs = 10_000
/** A query that has had no answer for so long holds up no further ones: they take connections of the pool. */
const slowMs = 50
/** A table has other columns since a statement was prepared; a pooler of connections does not know the statement. */
const outdated = new Set(['0A000', '26000'])

/**
 * Runs short reads of all requests over one connection, each sent without waiting for the answer to the one before, and
 * those that are asked for in one turn of the event loop together: to wake PostgreSQL costs more than such a query.
 * PostgreSQL plans each of them once.
 * @param connect makes a connection that does not wait for answers.
 */
export function sharedReads(connect: () => Promise<pg.Client>, onQuery?: (event: LogEvent) => void) {
  let client: pg.Client | undefined
  let openAt = 0
  let closed = false
  let unanswered = 0
  let heardAt = 0
  const names = new Map<string, string>()
  const gathering = new WeakSet<pg.Client>()

  async function open(): Promise<void> {
    openAt = performance.now() + retryMs
    // The connections of the pool are used meanwhile, and say what is wrong with the database.
    const made = await connect().catch(() => undefined)
    if (!made) return
    const lost = () => drop(made)
    made.once('error', lost).once('end', lost)
    client = made
    if (closed) drop(made)
  }

  /** Asks nothing more over this one. Answers that are under way still come. */
  function drop(one: pg.Client): void {
    if (client !== one) return
    client = undefined
    openAt = 0
    void one.end().catch(() => undefined)
  }

  /** Sends what is written from now on when the turn ends. */
  function gather(one: pg.Client): void {
    if (gathering.has(one)) return
    const { stream } = (one as unknown as { connection: { stream: Writable } }).connection
    gathering.add(one)
    stream.cork()
    setImmediate(() => {
      gathering.delete(one)
      stream.uncork()
    })
  }

  function nameOf(sql: string): string {
    const known = names.get(sql)
    if (known) return known
    const name = `read_${names.size}`
    names.set(sql, name)
    return name
  }

  return {
    /** Resolves to the rows of the query; to undefined where another connection must run it. */
    async read(query: CompiledQuery): Promise<unknown[] | undefined> {
      const one = client
      if (!one) {
        if (!closed && performance.now() >= openAt) void open()
        return undefined
      }
      const started = performance.now()
      if (unanswered === 0) heardAt = started
      if (started - heardAt > slowMs) return undefined
      gather(one)
      unanswered += 1
      const { sql: text, parameters } = query
      try {
        const { rows } = await one.query<object>({ name: nameOf(text), text, values: [...parameters] })
        onQuery?.({ level: 'query', query, queryDurationMillis: performance.now() - started })
        return rows
      } catch (error) {
        if (!outdated.has((error as { code?: string }).code ?? '')) throw error
        drop(one)
        return undefined
      } finally {
        unanswered -= 1
        heardAt = performance.now()
      }
    },
    async close(): Promise<void> {
      closed = true
      await client?.end()
    },
  }
}
