import type { Compilable, CompiledQuery, Dialect } from 'kysely'
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
 * Runs a short query past Kysely, which waits its turn for a connection. Returns its rows; undefined where that cannot be,
 * as on a database in this process while a transaction is open, whose changes nobody may see yet.
 */
type DirectRead = (query: CompiledQuery) => Rows | Promise<Rows>

/** By the adapter of a database, which is what can be reached from a query. */
const directReads = new WeakMap<object, DirectRead>()

/** A dialect whose databases run prepared queries by `read`. */
export const withDirectReads = (dialect: Dialect, read: DirectRead): Dialect => ({
  createDriver: () => dialect.createDriver(),
  createQueryCompiler: () => dialect.createQueryCompiler(),
  createIntrospector: (db) => dialect.createIntrospector(db),
  createAdapter() {
    const adapter = dialect.createAdapter()
    directReads.set(adapter, read)
    return adapter
  },
})

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
