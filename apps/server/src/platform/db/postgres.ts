import { PostgresDialect } from 'kysely'
import pg from 'pg'

// Counts and times are 64-bit there; all of ours fit a JavaScript number.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

/** A pool on the database at `url`. */
export function postgresDialect(url: string): PostgresDialect {
  const pool = new pg.Pool({ connectionString: url, max: 10, connectionTimeoutMillis: 5_000 })
  // A connection lost while nobody uses it is replaced at the next query; without a listener it would end the process.
  pool.on('error', () => undefined)
  // One that is in use says so by itself; what it was used for fails, and the server lives on.
  pool.on('connect', (client) => void client.on('error', () => undefined))
  return new PostgresDialect({ pool })
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
