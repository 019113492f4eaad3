import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { DatabaseOptions } from './database.ts'

export interface TableShape {
  name: string
  /** The columns that are written; columns computed by the database are not among them. */
  columns: string[]
}

/** The database as it was at one moment, however long it is read, while everybody goes on writing. */
export interface Snapshot {
  tables(): Promise<TableShape[]>
  /** Rows in no particular order, a few hundred at a time, with the values in the order of the columns. */
  rows(table: TableShape): AsyncIterable<unknown[][]>
  close(): Promise<void>
}

const batch = 500

/** Opens a snapshot over a connection of its own. */
export async function openSnapshot({ home, url }: Pick<DatabaseOptions, 'home' | 'url'>): Promise<Snapshot> {
  return url ? ofPostgres(url) : ofSqlite(join(home, 'forge.db'))
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`
const listed = ({ columns }: TableShape) => columns.map(quoted).join(', ')

function ofSqlite(file: string): Snapshot {
  const db = new DatabaseSync(file, { readOnly: true })
  db.exec('pragma busy_timeout = 5000; begin')
  // The moment is that of the first read.
  db.prepare('select count(*) from sqlite_master').get()
  return {
    async tables() {
      const tables = db.prepare("select name from pragma_table_list where schema = 'main' and type = 'table'").all()
      const names = tables.map(({ name }) => String(name)).filter((name) => !name.startsWith('sqlite_'))
      const columns = db.prepare('select name from pragma_table_xinfo(?) where hidden = 0')
      return names.sort().map((name) => ({ name, columns: columns.all(name).map((column) => String(column.name)) }))
    },
    async *rows(table) {
      const statement = db.prepare(`select ${listed(table)} from ${quoted(table.name)}`)
      statement.setReturnArrays(true)
      let rows: unknown[][] = []
      for (const row of statement.iterate()) {
        rows.push(row as unknown as unknown[])
        if (rows.length < batch) continue
        yield rows
        rows = []
      }
      yield rows
    },
    close: async () => db.close(),
  }
}

async function ofPostgres(url: string): Promise<Snapshot> {
  const { default: pg } = await import('pg')
  await import('./postgres.ts')
  const client = new pg.Client({ connectionString: url })
  // A lost connection shows at the next query.
  client.on('error', () => undefined)
  await client.connect()
  await client.query('begin isolation level repeatable read read only')
  await client.query('select 1 from pg_catalog.pg_class limit 1')
  return {
    async tables() {
      const { rows } = await client.query<{ name: string; column: string }>(
        `select t.table_name as name, c.column_name as column from information_schema.tables t
         join information_schema.columns c on c.table_schema = t.table_schema and c.table_name = t.table_name
         where t.table_schema = current_schema() and t.table_type = 'BASE TABLE' and c.is_generated = 'NEVER'
         order by t.table_name, c.ordinal_position`,
      )
      return [...Map.groupBy(rows, ({ name }) => name)].map(([name, columns]) => ({
        name,
        columns: columns.map(({ column }) => column),
      }))
    },
    async *rows(table) {
      await client.query(
        `declare snapshot_rows no scroll cursor for select ${listed(table)} from ${quoted(table.name)}`,
      )
      try {
        for (;;) {
          const { rows } = await client.query<unknown[]>({
            text: `fetch ${batch} from snapshot_rows`,
            rowMode: 'array',
          })
          if (rows.length === 0) return
          yield rows
        }
      } finally {
        await client.query('close snapshot_rows')
      }
    },
    close: () => client.end(),
  }
}
