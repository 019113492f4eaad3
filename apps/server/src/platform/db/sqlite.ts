import { dirname } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { type CompiledQuery, type Dialect, type LogEvent, SqliteDialect } from 'kysely'
import { closeHome, makePrivateFile } from '../home.files.ts'
import { withDirectReads } from './prepared.ts'
import { createReads } from './sqlite.reads.ts'

type Value = string | number | bigint | null | Uint8Array
type Cells = readonly Value[]
type ToRow = (cells: Cells) => Record<string, Value>

/** By the columns, of which there are few: the code names them. Texts of queries are many, as lists are of any length. */
const toRows = new Map<string, ToRow>()

/**
 * Makes rows of cells. Written as the literal of an object for each set of columns: to set one field after the other by its
 * name costs 0.13 µs a row of eleven where this costs 0.03.
 */
function rowOf(names: readonly string[]): ToRow {
  const key = names.join('\0')
  const known = toRows.get(key)
  if (known) return known
  const fields = names.map((name, at) => `${JSON.stringify(name)}: cells[${at}]`)
  // oxlint-disable-next-line typescript/no-implied-eval -- made of names that the code gives its columns, as strings
  const made = new Function('cells', `return { ${fields.join(', ')} }`) as ToRow
  toRows.set(key, made)
  return made
}

const mostStatements = 500

/**
 * Statements are prepared once: preparing costs as much as running (82,600 against 38,000 reads a second).
 * Rows are taken as arrays and made into objects here: those that the driver makes are hash tables, which
 * cost three times as much as soon as somebody reads their fields.
 */
function withStatementCache(db: DatabaseSync, reads: ReturnType<typeof createReads>) {
  const cache = new Map<string, ReturnType<typeof wrap>>()
  const wrap = (statement: StatementSync) => {
    statement.setReturnArrays(true)
    const names = statement.columns().map(({ name }) => name)
    const row = rowOf(names)
    return {
      reader: names.length > 0,
      all: (values: readonly unknown[]) => (statement.all(...(values as Value[])) as unknown as Cells[]).map(row),
      run: (values: readonly unknown[]) => statement.run(...(values as Value[])),
      *iterate(values: readonly unknown[]) {
        for (const one of statement.iterate(...(values as Value[]))) yield row(one as unknown as Cells)
      },
    }
  }
  return {
    close() {
      reads.end()
      db.close()
    },
    prepare(sql: string) {
      if (!sql.startsWith('select')) reads.end()
      if (sql === 'rollback') return rollback(db)
      const known = cache.get(sql)
      if (known) return known
      const made = wrap(db.prepare(sql))
      // The oldest goes: those of migrations are used once, and would leave no room for what comes after them.
      if (cache.size >= mostStatements) cache.delete(cache.keys().next().value!)
      cache.set(sql, made)
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
  const reads = createReads(db)
  const database = withStatementCache(db, reads)

  /** Kysely waits its turn for each query; between transactions there is nothing to wait for. */
  function readNow(query: CompiledQuery): unknown[] | undefined {
    if (reads.isTaken()) return undefined
    const started = performance.now()
    reads.share()
    const rows = database.prepare(query.sql).all(query.parameters)
    onQuery?.({ level: 'query', query, queryDurationMillis: performance.now() - started })
    return rows
  }
  return withDirectReads(new SqliteDialect({ database }), readNow)
}
