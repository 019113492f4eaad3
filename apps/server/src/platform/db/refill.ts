import { CompiledQuery, type Kysely, sql } from 'kysely'
import { CopiedRows, copiedValue, type Stored } from './copy.ts'
import type { Database } from './database.ts'
import type { TableShape } from './snapshot.ts'
import type { Tx } from './tables.ts'

/** Values in one statement. SQLite takes 32,766 of them; beyond a few thousand they only cost memory. */
const mostValues = 3_000

/** Puts rows back into tables that were emptied, inside one transaction. */
export interface Refill {
  /**
   * Each line is a JSON array of the values of a row, in the order of the columns. @throws Error when the database
   * refuses these rows, or those of the call before.
   */
  put(table: TableShape, lines: Buffer): Promise<void>
  /** Every reference between rows is checked now. @throws Error when one leads nowhere. */
  finish(): Promise<void>
}

type AnyDb = Kysely<Record<string, Record<string, unknown>>>
interface Reference {
  table: string
  name: string
}

/**
 * Empties these tables; references between rows count only at the end, as rows come in any order. The indexes in
 * `later` are dropped, and left to others to make.
 */
export async function beginRefill(
  database: Database,
  tx: Tx,
  tables: readonly string[],
  later: readonly string[] = [],
): Promise<Refill> {
  const db = tx as unknown as AnyDb
  const postgres = database.kind === 'postgres'
  const references = postgres ? await referencesOf(db) : []
  const settle = await beginBulk(db, postgres, later)
  for (const { table, name } of references)
    await sql`alter table ${sql.table(table)} alter constraint ${sql.id(name)} deferrable initially deferred`.execute(
      db,
    )
  if (postgres) await sql`set constraints all deferred`.execute(db)
  if (postgres) await sql`truncate ${sql.join(tables.map((name) => sql.table(name)))}`.execute(db)
  else for (const name of tables) await db.deleteFrom(name).execute()
  if (postgres) {
    await sql`set constraints all immediate`.execute(db)
    await sql`set constraints all deferred`.execute(db)
  }

  const copying = createCopying(db, postgres && (await takesFrozen(db)))
  return {
    put: (table, lines) => (postgres ? copying.put(table, lines) : putEmbedded(db, table, lines)),
    async finish() {
      await copying.end()
      // PostgreSQL makes no index while references are still to be checked.
      if (postgres) await sql`set constraints all immediate`.execute(db)
      await settle()
      if (!postgres) return
      for (const { table, name } of references)
        await sql`alter table ${sql.table(table)} alter constraint ${sql.id(name)} not deferrable`.execute(db)
      for (const { table, column } of await countedOf(db))
        await sql`select setval(pg_get_serial_sequence(${table}, ${column}),
          coalesce((select max(${sql.id(column)}) from ${sql.table(table)}), 0) + 1, false)`.execute(db)
    },
  }
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`

/**
 * Rows are written by powers of two, so that few statements do for parts of any length. To prepare one takes as long as to
 * run it.
 */
async function putEmbedded(db: AnyDb, { name, columns }: TableShape, lines: Buffer): Promise<void> {
  const into = `insert into ${quoted(name)} (${columns.map(quoted).join(', ')}) values `
  const one = `(${columns.map(() => '?').join(', ')})`
  const rows = [...piecesOf(lines)].flatMap((text) => rowsOf(text, { name, columns }))
  let count = powerWithin(Math.max(1, mostValues / columns.length))
  for (let at = 0; at < rows.length; at += count) {
    count = Math.min(count, powerWithin(rows.length - at))
    const values = rows.slice(at, at + count).flat()
    await db.executeQuery(CompiledQuery.raw(into + Array.from({ length: count }, () => one).join(', '), values))
  }
}

/** The largest power of two that is not more. */
const powerWithin = (most: number): number => 2 ** Math.floor(Math.log2(most))

const newline = 10
/** Longer texts are kept apart from others by V8, which costs more than reading them. */
const pieceBytes = 96 * 1024

/** The lines in pieces of about as many bytes, each without the end of its last line. */
function* piecesOf(lines: Buffer): Generator<string> {
  for (let at = 0; at < lines.length; ) {
    const end = lines.indexOf(newline, Math.min(at + pieceBytes, lines.length - 1))
    yield lines.toString('utf8', at, end)
    at = end + 1
  }
}

/** Parsed many at once: line by line it takes longer. Only the frame is judged; the database judges each value by its column. */
function rowsOf(text: string, { name, columns }: TableShape): Stored[][] {
  const rows: unknown = JSON.parse(`[${text.replaceAll('\n', ',')}]`)
  if (!isTable(rows, columns.length)) throw new Error(`A row of the backup does not fit the table ${name}`)
  return rows
}

const isTable = (rows: unknown, width: number): rows is Stored[][] =>
  Array.isArray(rows) && rows.every((row) => Array.isArray(row) && row.length === width)

/** In JSON, whatever the text format of PostgreSQL has another sign for has a backslash before anything but a quote. */
const needsSigns = /\\[^"]/

/** `copy` costs PostgreSQL a fraction of what statements with values do. It takes rows while the next are made ready. */
function createCopying(db: AnyDb, frozen: boolean) {
  let taken: Promise<unknown> = Promise.resolve()
  return {
    async put({ name, columns }: TableShape, lines: Buffer): Promise<void> {
      let copied = ''
      for (const text of piecesOf(lines)) {
        const value = needsSigns.test(text) ? copiedValue : plainValue
        for (const row of rowsOf(text, { name, columns })) copied += `${row.map(value).join('\t')}\n`
      }
      await taken
      const statement = `copy ${quoted(name)} (${columns.map(quoted).join(', ')}) from stdin with (freeze ${frozen})`
      taken = db.executeQuery(CompiledQuery.raw(statement, [new CopiedRows(copied)]))
      // The callers that wait for it are told.
      taken.catch(() => undefined)
    },
    end: () => taken,
  }
}

/** Frozen rows need no look at their transaction afterwards. PostgreSQL refuses them to one that keeps a snapshot. */
async function takesFrozen(db: AnyDb): Promise<boolean> {
  const { rows } = await sql<{ level: string }>`select current_setting('transaction_isolation') as level`.execute(db)
  return rows[0]?.level === 'read committed'
}

const plainValue = (value: Stored) => (value === null ? '\\N' : String(value))

interface Follower {
  name: string
  sql: string
  fill: string
}

/** Triggers that write a row of another table for each new one, with the statement that does it for all rows at once. */
async function followersOf(db: AnyDb): Promise<Follower[]> {
  const { rows } = await sql<{ name: string; sql: string }>`select name, sql from sqlite_master
    where type = 'trigger'`.execute(db)
  return rows.flatMap((trigger) => {
    const parts = /after insert on (\w+) begin\s+insert into (\w+ \([^)]+\)) values \((.+)\);\s*end$/is.exec(
      trigger.sql,
    )
    return parts ? [{ ...trigger, fill: `insert into ${parts[2]} select ${parts[3]} from ${parts[1]} as new` }] : []
  })
}

/** Memory in which the index of texts gathers what it writes, in bytes; the second is its default. */
const bulkHash = 64 * 1024 * 1024
const usualHash = 1024 * 1024
/** Bytes of the file that are read where the system has them, instead of being copied; SQLite takes no more. */
const mostMapped = 2_000_000_000
/** For each index that PostgreSQL makes; its default makes large ones several times slower. */
const indexMemory = '256MB'

/**
 * Takes the indexes away, which are made faster from all rows than by each of them. What it returns makes them again;
 * on the embedded database it checks references too, which were not looked at meanwhile.
 */
async function beginBulk(db: AnyDb, postgres: boolean, later: readonly string[]): Promise<() => Promise<void>> {
  const { rows: indexes } = postgres
    ? await sql<{ name: string; sql: string }>`select i.indexname as name, i.indexdef as sql from pg_indexes i
        where i.schemaname = current_schema() and not exists (select 1 from pg_constraint c
          join pg_class x on x.oid = c.conindid join pg_namespace n on n.oid = x.relnamespace
          where x.relname = i.indexname and n.nspname = i.schemaname)`.execute(db)
    : await sql<{
        name: string
        sql: string
      }>`select name, sql from sqlite_master where type = 'index' and sql is not null`.execute(db)
  const { rows: texts } = postgres
    ? { rows: [] }
    : await sql<{ name: string }>`select name from sqlite_master where sql like '%using fts5%'`.execute(db)
  const gather = async (bytes: number) => {
    for (const { name } of texts)
      await sql`insert into ${sql.table(name)} (${sql.ref(name)}, rank) values ('hashsize', ${sql.lit(bytes)})`.execute(
        db,
      )
  }
  const followers = postgres ? [] : await followersOf(db)
  for (const { name } of indexes) await sql`drop index ${sql.id(name)}`.execute(db)
  for (const { name } of followers) await sql`drop trigger ${sql.id(name)}`.execute(db)
  await gather(bulkHash)
  if (postgres) await sql`set local maintenance_work_mem = ${sql.lit(indexMemory)}`.execute(db)
  return async () => {
    // Each index reads its whole table. Only now: the file is taken into memory with the length that it has.
    if (!postgres) await sql`pragma mmap_size = ${sql.lit(mostMapped)}`.execute(db)
    for (const follower of followers) await sql.raw(follower.fill).execute(db)
    for (const follower of followers) await sql.raw(follower.sql).execute(db)
    for (const index of indexes) if (!later.includes(index.name)) await sql.raw(index.sql).execute(db)
    await gather(usualHash)
    if (postgres) return
    const { rows: lost } = await sql<{ table: string }>`select "table" from pragma_foreign_key_check limit 1`.execute(
      db,
    )
    if (lost[0]) throw new Error(`A row of ${lost[0].table} refers to one that is not there`)
  }
}

async function referencesOf(db: AnyDb): Promise<Reference[]> {
  const { rows } = await sql<Reference>`select c.conrelid::regclass::text as "table", c.conname as name
    from pg_constraint c join pg_class t on t.oid = c.conrelid join pg_namespace n on n.oid = t.relnamespace
    where c.contype = 'f' and n.nspname = current_schema()`.execute(db)
  return rows
}

async function countedOf(db: AnyDb): Promise<{ table: string; column: string }[]> {
  const { rows } = await sql<{ table: string; column: string }>`select table_name as "table", column_name as "column"
    from information_schema.columns where table_schema = current_schema() and is_identity = 'YES'`.execute(db)
  return rows
}
