import { type Kysely, sql } from 'kysely'
import { dropBlobs, keepBlob, packBlob, readBlob } from '../blobs/blobs.ts'
import type { Vault } from '../crypto.ts'
import type { Database } from '../db/database.ts'
import type { Tx } from '../db/tables.ts'
import type { SealedRow, SealedColumn } from './sealed.columns.ts'

const batch = 100

/** The result of one pass over all sealed values. */
export interface Resealed {
  values: number
  /** Places of values that no key opens: `table.column row`. */
  lost: string[]
}

/**
 * Seals everything under the current key once more that is under another. A row that somebody changes meanwhile is left
 * for the next pass: go on until a pass finds nothing. A kill at any point loses nothing, and another pass goes on.
 */
export async function resealAll(
  database: Database,
  vault: Vault,
  columns: readonly SealedColumn[],
  report: (values: number) => void = () => undefined,
): Promise<Resealed> {
  const done: Resealed = { values: 0, lost: [] }
  for (const target of columns)
    for (let after: SealedRow | undefined; ; ) {
      const rows = await page(database, target, after)
      if (target.isBlob) await resealBlobs(database, vault, target, rows, done)
      else await resealRows(database, vault, target, rows, done)
      report(done.values)
      after = rows.at(-1)
      if (rows.length < batch) break
    }
  return done
}

function page(
  { read }: Database,
  { table, key, column }: SealedColumn,
  after: SealedRow | undefined,
): Promise<SealedRow[]> {
  const db = read as unknown as Kysely<Record<string, SealedRow>>
  const names = key.map((name) => sql.ref(name))
  let rows = db
    .selectFrom(table)
    .select([...key, column])
    .where(sql.ref(column), 'is not', null)
  if (after) rows = rows.where(sql<boolean>`(${sql.join(names)}) > (${sql.join(key.map((name) => after[name]))})`)
  for (const name of key) rows = rows.orderBy(name)
  return rows.limit(batch).execute()
}

/** The text with every value in it under the current key; undefined when all are already. */
function resealed(
  vault: Vault,
  target: SealedColumn,
  row: SealedRow,
  text: string,
  done: Resealed,
): string | undefined {
  let now = text
  for (const [sealed, context] of target.find(row, text)) {
    try {
      const again = vault.reseal(sealed, context)
      if (again === undefined) continue
      now = now.replaceAll(sealed, again)
      done.values += 1
    } catch {
      done.lost.push(`${target.table}.${target.column} ${target.key.map((name) => row[name]).join(' ')}`)
    }
  }
  return now === text ? undefined : now
}

async function resealRows(
  { read }: Database,
  vault: Vault,
  target: SealedColumn,
  rows: readonly SealedRow[],
  done: Resealed,
): Promise<void> {
  const { table, key, column } = target
  const changed = rows.flatMap((row) => {
    const now = resealed(vault, target, row, row[column]!, done)
    return now === undefined ? [] : [[...key.map((name) => row[name]), row[column], now]]
  })
  if (changed.length === 0) return
  // PostgreSQL compares no text with a number, and keys may be either.
  const typed = (value: unknown) => sql`cast(${value} as ${sql.raw(typeof value === 'number' ? 'integer' : 'text')})`
  const values = changed.map((row) => sql`(${sql.join(row.map(typed))})`)
  const same = [...key, 'before'].map((name) => {
    const own = sql.ref(`${table}.${name === 'before' ? column : name}`)
    return sql`${own} = resealed.${sql.ref(name)}`
  })
  // A value that changed since it was read is not overwritten.
  await sql`with resealed (${sql.join([...key, 'before', 'after'].map((name) => sql.ref(name)))}) as (values ${sql.join(values)})
    update ${sql.table(table)} set ${sql.ref(column)} = resealed.after from resealed where ${sql.join(same, sql` and `)}`.execute(
    read,
  )
}

/** A blob is named by its content, so another takes its place, for each owner in turn. */
async function resealBlobs(
  database: Database,
  vault: Vault,
  target: SealedColumn,
  rows: readonly SealedRow[],
  done: Resealed,
): Promise<void> {
  for (const row of rows) {
    const before = row[target.column]!
    const text = await readBlob(database.read, before).catch(() => undefined)
    const now = text === undefined ? undefined : resealed(vault, target, row, text, done)
    if (now === undefined) continue
    const packed = await packBlob(now)
    await database.transact(async (tx) => {
      await keepBlob(tx, packed)
      const isChanged = await rename(tx, target, row, before, packed.hash)
      await dropBlobs(tx, [isChanged ? before : packed.hash])
    })
  }
}

async function rename(tx: Tx, { table, key, column }: SealedColumn, row: SealedRow, before: string, now: string) {
  let change = (tx as unknown as Kysely<Record<string, SealedRow>>)
    .updateTable(table)
    .set({ [column]: now })
    .where(sql.ref(column), '=', before)
  for (const name of key) change = change.where(sql.ref(name), '=', row[name])
  return (await change.executeTakeFirst()).numUpdatedRows === 1n
}
