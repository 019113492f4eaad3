import { type Dialect, type LogEvent, PostgresDialect } from 'kysely'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { CopiedRows, copyIn } from './copy.ts'
import { withDirectReads } from './prepared.ts'
import { sharedReads, streamOf } from './shared-reads.ts'
import { ConnectionLost } from './trouble.ts'

// Counts and times are 64-bit there; all of ours fit a JavaScript number.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

/** Timeout of a connection that is being made. */
const connectMs = 1_500
/** Connections that nobody uses ask whether the other side is still there after so long. */
const keepMs = 10_000
/** Maximum wait for a connection: long enough for a burst of requests, and less than two seconds in all. */
const freeMs = 1_800
/** A query that has waited so long makes us ask whether the database is still there. */
const silentMs = 500
const probeMs = 1_000
const lookEveryMs = 100
/**
 * PostgreSQL undoes a transaction in which nothing was asked for so long: that of a frozen server would keep its locks
 * for hours, and the server that is to take over waiting. Less than that one waits to do so.
 */
export const idleTransactionMs = 20_000
const tooMany = '53300'
const growAfterMs = 10_000

interface Options {
  size: number
  patient: boolean
  /** Told of the queries that Kysely does not see. */
  onQuery?: ((event: LogEvent) => void) | undefined
}

/**
 * At most `size` connections on the database at `url`. A database that is away fails queries within two seconds.
 * `patient` for work that keeps the database too busy to answer anybody else in that time: its queries wait.
 */
export function postgresDialect(url: string, { size, patient, onQuery }: Options): Dialect {
  // One is for the short reads of all requests, unless only one were left for everything else.
  const shares = !patient && size > 2
  const most = shares ? size - 1 : size
  const watch = watchSilence(url, patient)
  class Client extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      super({ ...config, connectionTimeoutMillis: connectMs, keepAlive: true, keepAliveInitialDelayMillis: keepMs })
      // One that is in use says so by itself; what it was used for fails, and the server lives on.
      this.on('error', () => undefined)
    }
  }
  const pool = new pg.Pool({
    connectionString: url,
    max: most,
    connectionTimeoutMillis: freeMs,
    Client,
    async onConnect(client) {
      watch.add(client)
      if (!patient) await client.query(`set idle_in_transaction_session_timeout = ${idleTransactionMs}`)
    },
  })
  let growing: NodeJS.Timeout | undefined
  // A connection lost while nobody uses it is replaced at the next query; without a listener it would end the process.
  pool.on('error', () => undefined)

  /** The existing connections must do for a while; requests wait in the pool's queue for one of them. */
  function shrink(): void {
    pool.options.max = Math.max(1, Math.min(pool.options.max, pool.totalCount))
    clearTimeout(growing)
    growing = setTimeout(() => (pool.options.max = most), growAfterMs).unref()
  }

  /** The database may have fewer connections to give than we want: then one of ours is waited for. */
  async function connect(): Promise<pg.PoolClient> {
    // The pool itself gives up the first try in time; only further ones need a bound of their own.
    let connecting = pool.connect()
    for (const until = performance.now() + freeMs; ; connecting = inTime(pool.connect(), until)) {
      try {
        return await connecting
      } catch (error) {
        const { code, message } = error as { code?: string; message: string }
        if (code === tooMany) shrink()
        if (code !== tooMany || performance.now() > until)
          throw error instanceof pg.DatabaseError ? error : new ConnectionLost(message)
      }
      await sleep(50)
    }
  }
  const shared = sharedReads(async () => {
    const client = new Client({ connectionString: url, pipeline: true })
    await client.connect()
    watch.add(client)
    return client
  }, onQuery)
  const dialect = new PostgresDialect({
    pool: {
      connect,
      end: async () => {
        await shared.close()
        watch.stop()
        clearTimeout(growing)
        await pool.end()
      },
      options: pool.options,
    },
  })
  return shares ? withDirectReads(dialect, shared.read) : dialect
}

/** Rejects at `until`; a connection that comes later goes back to the pool. */
async function inTime(connecting: Promise<pg.PoolClient>, until: number): Promise<pg.PoolClient> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => late.reject(new Error('no connection became free')),
    Math.max(0, until - performance.now()),
  )
  let isLate = false
  late.promise.catch(() => (isLate = true))
  connecting.then((client) => isLate && client.release()).catch(() => undefined)
  return Promise.race([connecting, late.promise]).finally(() => clearTimeout(timer))
}

type Query = (...input: unknown[]) => Promise<unknown>
const isCopy = (input: unknown[]): input is [string, [CopiedRows]] =>
  (input[1] as unknown[] | undefined)?.[0] instanceof CopiedRows

/**
 * Ends the queries of a database that has fallen silent: no connection has had an answer for a while, and a new one is
 * not answered either. A query that only takes long is left alone.
 */
function watchSilence(url: string, patient: boolean) {
  const waiting = new Set<{ client: pg.ClientBase; since: number }>()
  let heardAt = performance.now()
  let probing = false

  function add(client: pg.ClientBase): void {
    const query = client.query.bind(client) as unknown as Query
    const watched: Query = async (...input) => {
      const mine = { client, since: performance.now() }
      waiting.add(mine)
      try {
        const result = await (isCopy(input) ? copyIn(query, ...input) : query(...input))
        heardAt = performance.now()
        return result
      } catch (error) {
        if (!(error instanceof pg.DatabaseError)) throw new ConnectionLost((error as Error).message, { cause: error })
        heardAt = performance.now()
        throw error
      } finally {
        waiting.delete(mine)
      }
    }
    Object.assign(client, { query: watched })
  }

  async function look(): Promise<void> {
    const begun = performance.now()
    const oldest = Math.min(...[...waiting].map(({ since }) => since))
    if (probing || begun - oldest < silentMs || begun - heardAt < silentMs) return
    probing = true
    const isThere = await answers(url)
    probing = false
    if (isThere || heardAt > begun) return
    // Also what came while we asked, or it would wait for an answer to a question of its own.
    const now = performance.now()
    const lost = [...waiting].filter(({ since }) => now - since >= silentMs)
    for (const { client } of lost) streamOf(client).destroy()
  }
  const timer = patient ? undefined : setInterval(() => void look(), lookEveryMs).unref()
  return { add, stop: () => clearInterval(timer) }
}

/** Also a refusal is an answer. */
async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: probeMs })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return true
  } catch (error) {
    return error instanceof pg.DatabaseError
  } finally {
    void client.end().catch(() => undefined)
  }
}

const retryMs = 500

/**
 * Listens on a channel with a connection of its own, and again after a lost one.
 * `connected` is called after each (re-)connection, so that what was missed can be fetched.
 */
export function listen(url: string, channel: string, heard: (payload: string) => void, connected: () => void) {
  let client: pg.Client
  let closed = false
  let retry: NodeJS.Timeout | undefined
  const connect = async () => {
    const mine = new pg.Client({ connectionString: url, keepAlive: true })
    client = mine
    let lost = false
    /** However it ends, and whether it ever stood: once. */
    const again = () => {
      if (lost || closed) return
      lost = true
      void mine.end().catch(() => undefined)
      retry = setTimeout(() => void connect(), retryMs)
    }
    mine.on('notification', (message) => heard(message.payload ?? ''))
    mine.on('error', again)
    mine.on('end', again)
    try {
      await mine.connect()
      await mine.query(`listen ${pg.escapeIdentifier(channel)}`)
      connected()
    } catch {
      again()
    }
  }
  const ready = connect()
  return {
    ready,
    async close() {
      closed = true
      clearTimeout(retry)
      await client.end()
    },
  }
}
