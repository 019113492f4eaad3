import { PostgresDialect } from 'kysely'
import pg from 'pg'

// Counts and times are 64-bit there; all of ours fit a JavaScript number.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

/** A pool on the database at `url`. */
export function postgresDialect(url: string): PostgresDialect {
  return new PostgresDialect({ pool: new pg.Pool({ connectionString: url, max: 10, connectionTimeoutMillis: 5_000 }) })
}

/**
 * Listens on a channel with a connection of its own, and again after a lost one.
 * `connected` is called after each (re-)connection, so that what was missed can be fetched.
 */
export function listen(url: string, channel: string, heard: (payload: string) => void, connected: () => void) {
  let client: pg.Client | undefined
  let closed = false
  let retry: NodeJS.Timeout | undefined
  const connect = async () => {
    client = new pg.Client({ connectionString: url })
    client.on('notification', (message) => heard(message.payload ?? ''))
    client.on('error', () => client?.end().catch(() => undefined))
    client.on('end', () => {
      if (!closed) retry = setTimeout(() => void connect(), 500)
    })
    try {
      await client.connect()
      await client.query(`listen ${pg.escapeIdentifier(channel)}`)
      connected()
    } catch {
      await client.end().catch(() => undefined)
    }
  }
  const ready = connect()
  return {
    ready,
    async close() {
      closed = true
      clearTimeout(retry)
      await client?.end()
    },
  }
}
