import { dirname } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { type CompiledQuery, type Dialect, type LogEvent, SqliteDialect } from 'kysely'
import { closeHome, makePrivateFile } from '../home.files.ts'
import { withDirectReads } from './prepared.ts'

type Value = string | number | bigint | null | Uint8Array

/**
 * Statements are prepared once: preparing costs as much as running (82,600 against 38,000 reads a second).
 * Rows are taken as arrays and made into objects here: those that the driver makes are hash tables, which
 * cost three times as much as soon as somebody reads their fields.
 */
function withStatementCache(db: DatabaseSync) {
  const cache = new Map<string, ReturnType<typeof wrap>>()
  const wrap = (statement: StatementSync) => {
    statement.setReturnArrays(true)
    const names = statement.columns().map(({ name }) => name)
    const row = (values: unknown) => {
      const made: Record<string, unknown> = {}
      for (let i = 0; i < names.length; i++) made[names[i]!] = (values as unknown[])[i]
      return made
    }
    return {
      reader: names.length > 0,
      all: (values: readonly unknown[]) => statement.all(...(values as Value[])).map(row),
      run: (values: readonly unknown[]) => statement.run(...(values as Value[])),
      *iterate(values: readonly unknown[]) {
        for (const one of statement.iterate(...(values as Value[]))) yield row(one)
      },
    }
  }
  return {
    close: () => db.close(),
    prepare(sql: string) {
      if (sql === 'rollback') return rollback(db)
      const known = cache.get(sql)
      if (known) return known
      const made = wrap(db.prepare(sql))
      if (cache.size < 500) cache.set(sql, made)
      return made
    },
  }
}

/** SQLite undoes a transaction by itself when the disk is full; to undo it twice would hide why. */
function rollback(db: DatabaseSync) {
  const run = () => {
    if (db.isTransaction) db.exec('rollback')
    return { changes: 0, lastInsertRowid: 0 }
  }
  return { reader: false, all: () => [], run, *iterate() {} }
}

/** WAL, and an fsync for every commit, so that what was acknowledged is there after a kill. */
const lasting =
  'pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on; pragma busy_timeout = 5000;'
/** A file that is thrown away unless it is filled to its end: nothing is undone, and references are checked at last. */
const draft =
  'pragma journal_mode = off; pragma synchronous = off; pragma foreign_keys = off; pragma cache_size = -65536; pragma threads = 2;'

interface Options {
  /** It is written as fast as it can be, and worth nothing until it is whole. */
  isDraft: boolean
  /** Told of the queries that Kysely does not see. */
  onQuery?: ((event: LogEvent) => void) | undefined
}

/** The embedded database. */
export function sqliteDialect(file: string, { isDraft, onQuery }: Options): Dialect {
  closeHome(dirname(file))
  // SQLite gives the files beside it the same mode.
  makePrivateFile(file)
  const db = new DatabaseSync(file)
  db.exec(isDraft ? draft : lasting)
  const database = withStatementCache(db)

  /** Kysely waits its turn for each query; between transactions there is nothing to wait for. */
  function readNow(query: CompiledQuery): unknown[] | undefined {
    if (db.isTransaction) return undefined
    const started = performance.now()
    const rows = database.prepare(query.sql).all(query.parameters)
    onQuery?.({ level: 'query', query, queryDurationMillis: performance.now() - started })
    return rows
  }
  return withDirectReads(new SqliteDialect({ database }), readNow)
}
