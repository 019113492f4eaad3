import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Db, Tx } from './tables.ts'

/** A table of two columns: the id of something, and a word of it. Indexed by both. */
export interface WordIndex {
  table: string
  id: string
}

/** Matches are counted up to here, and a word that more have than this narrows nothing down. */
export const mostCounted = 10_000
const mostWords = 6
const longest = 40
/** Sorts behind everything that begins with what stands before it. */
const last = '\u{10FFFF}'

/** The words of texts, in lower case and without accents, each once. */
export function wordsOf(...texts: readonly string[]): string[] {
  const plain = texts.join(' ').normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  const words = plain.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '')
  return [...new Set(words.map((word) => [...word].slice(0, longest).join('')))]
}

/** Makes something findable by the words of its texts. */
export async function addWords(tx: Tx, { table, id }: WordIndex, of: string, texts: readonly string[]): Promise<void> {
  const rows = wordsOf(...texts).map((word) => sql`(${of}, ${word})`)
  if (rows.length === 0) return
  await sql`insert into ${sql.table(table)} (${sql.ref(id)}, word) values ${sql.join(rows)}`.execute(tx)
}

/** The same when its texts have changed. */
export async function replaceWords(tx: Tx, index: WordIndex, of: string, texts: readonly string[]): Promise<void> {
  await sql`delete from ${sql.table(index.table)} where ${sql.ref(index.id)} = ${of}`.execute(tx)
  await addWords(tx, index, of, texts)
}

export interface WordMatch {
  /** Holds for what was searched for; `id` is its column in the query. */
  holds(id: string): Expression<SqlBool>
  /** Number of matches, counted up to `mostCounted`. */
  count: number
}

/**
 * Finds what has, for each word of the query, a word that begins with it. Reads what the rarest of them has; where
 * even that one is everywhere, the first page of all is full of matches, so rows are taken in their order and tried.
 */
export async function matchWords(db: Db, index: WordIndex, query: string): Promise<WordMatch> {
  const words = wordsOf(query).slice(0, mostWords)
  if (words.length === 0) return { holds: () => sql<SqlBool>`1 = 0`, count: 0 }
  const [table, id] = [sql.table(index.table), sql.ref(index.id)]
  const begins = (word: string) => sql`word >= ${word} and word < ${word + last}`
  const has = (word: string, of: RawBuilder<unknown>) =>
    sql<SqlBool>`exists (select 1 from ${table} as w where w.${id} = ${of} and ${begins(word)})`

  const counts = words.map(
    (word, at) =>
      sql`(select count(*) from (select 1 from ${table} where ${begins(word)} limit ${mostCounted}) as c) as ${sql.ref(`n${at}`)}`,
  )
  const counted = await sql<Record<string, number>>`select ${sql.join(counts)}`.execute(db)
  const byCount = words
    .map((word, at) => ({ word, count: Number(counted.rows[0]?.[`n${at}`]) }))
    .toSorted((a, b) => a.count - b.count)
  const [rarest, ...others] = byCount as [{ word: string; count: number }, ...typeof byCount]
  const and = (of: RawBuilder<unknown>) => others.map(({ word }) => sql` and ${has(word, of)}`)
  const everywhere = rarest.count >= mostCounted
  const found = sql`select distinct ${id} from ${table} as f where ${begins(rarest.word)}${sql.join(and(sql`f.${id}`), sql``)}`
  const total = everywhere
    ? mostCounted
    : Number((await sql<{ n: number }>`select count(*) as n from (${found}) as c`.execute(db)).rows[0]?.n)
  return {
    holds: (column) =>
      everywhere
        ? sql<SqlBool>`${sql.join(
            byCount.map(({ word }) => has(word, sql.ref(column))),
            sql` and `,
          )}`
        : sql<SqlBool>`${sql.ref(column)} in (${found})`,
    count: total,
  }
}
