import type { Compilable, CompiledQuery } from 'kysely'
import type { Db } from './tables.ts'

/** Stands in a query for a value that it is run with. */
class Slot {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

type Rows = unknown[] | undefined

/**
 * By its adapter, what runs a short query past Kysely, which waits its turn for a connection. Returns its rows; undefined
 * where that cannot be, as on a database in this process while a transaction is open, whose changes nobody may see yet.
 */
export const directReads = new WeakMap<object, (query: CompiledQuery) => Rows | Promise<Rows>>()

type Values = Record<string, string | number | null>

/**
 * A query that is composed and compiled once, and run with other values ever after: for those of nearly every request,
 * where Kysely takes as long as the database. `compose` gets a stand-in for each value, to be used as a parameter only,
 * and must make the same query each time, one that reads.
 * @returns what runs it; resolves to its rows.
 */
export function prepared<V extends Values, Row>(compose: (db: Db, values: V) => Compilable<Row>) {
  // SQLite and PostgreSQL write it differently, and tests have both in one process.
  const compiled = new WeakMap<object, CompiledQuery<Row>>()
  const slots = new Proxy({}, { get: (_, name) => new Slot(String(name)) }) as V

  return async (db: Db, values: V): Promise<Row[]> => {
    const { adapter } = db.getExecutor()
    let query = compiled.get(adapter)
    if (!query) compiled.set(adapter, (query = compose(db, slots).compile()))
    const parameters = query.parameters.map((one) => (one instanceof Slot ? values[one.name] : one))
    const filled = { ...query, parameters }
    const rows = db.isTransaction ? undefined : await directReads.get(adapter)?.(filled)
    return (rows as Row[] | undefined) ?? (await db.executeQuery<Row>(filled)).rows
  }
}
