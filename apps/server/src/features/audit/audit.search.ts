import { type Expression, type SqlBool, sql } from 'kysely'
import type { Database } from '../../platform/db/database.ts'
import type { Db } from '../../platform/db/tables.ts'
import { textIndexProgress } from './audit.text-index.store.ts'
import {
  type AuditFilter,
  countByEvent,
  filtered,
  idsOfTimes,
  newestOf,
  shown,
  type ShownEntry,
  wholeLog,
} from './audit.store.ts'

/** A log of up to so many entries is read from end to end: the index knows no logs, only the whole. */
const small = 10_000
/** Newest entries of a larger one that are read; what is frequent is among them, and for what is rare there is the index. */
const readMost = 3_000
/** Most entries of the index that are looked at for one page. */
const lookedUpMost = 5_000
/** Matches of a text or a user are counted up to here. */
const countedMost = 1000

/** A page of entries, and whether there may be more: those below `next`. */
export interface Found {
  rows: ShownEntry[]
  next?: number
  /** Percent of the index of texts that is built, while it is missing. */
  indexing?: number
}

/** The embedded database knows the capitals of ASCII alone, so others are found as they were typed, too. */
function contains(text: string) {
  const typed = text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
  const patterns = [...new Set([text.toLowerCase(), typed])].map((one) => `%${one.replace(/[\\%_]/g, '\\$&')}%`)
  const columns = ['event', 'body', 'username'] as const
  const each = columns.flatMap((column) =>
    patterns.map((like): Expression<SqlBool> => sql`lower(${sql.ref(column)}) like ${like} escape '\\'`),
  )
  return sql<boolean>`(${sql.join(each, sql` or `)})`
}

/** Pieces of three characters, all of which are in every text that contains this one; a few are selective enough. */
function gramsOf(text: string): string[] {
  const letters = [...text.toLowerCase()]
  const grams = new Set(letters.slice(2).map((_, i) => letters.slice(i, i + 3).join('')))
  return [...grams].slice(0, 24)
}

/** Ids below `below` that the index of texts has, newest first, at most `lookedUpMost`. */
async function lookUp(db: Db, kind: Database['kind'], filter: Indexed, below: number): Promise<number[]> {
  const grams = gramsOf(filter.query ?? '')
  if (kind === 'sqlite') {
    const match = grams.map((gram) => `"${gram.replaceAll('"', '""')}"`).join(' AND ')
    const { rows } = await sql<{ id: number }>`select rowid as id from audit_text
      where audit_text match ${match} and rowid < ${below} order by rowid desc limit ${lookedUpMost}`.execute(db)
    return rows.map(({ id }) => id)
  }
  const elements = filter.type === 'platform log' ? grams : [...grams, scopeElement(filter)]
  // Apart from the order, or the planner reads the whole log backwards and makes the pieces of every entry.
  const { rows } = await sql<{ id: number }>`with found as materialized (
      select id from audit_log where audit_grams(scope_type, scope_id, event || ' ' || coalesce(username, '') || ' ' || body)
        @@ ${elements.map(lexeme).join(' & ')}::tsquery and id < ${below})
    select id from found order by id desc limit ${lookedUpMost}`.execute(db)
  return rows.map(({ id }) => id)
}

const lexeme = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`

const scopeElement = (filter: Exclude<Indexed, { type: 'platform log' }>) => `${filter.type}:${filter.id ?? ''}`

/** The log of a device is short, and has neither counts nor a place in the index of texts. */
type Indexed = Exclude<AuditFilter, { type: 'device log' }>

/** Newest first, older than `before`. A page of a text search may be short although there is more. */
export async function findEntries(
  database: Database,
  filter: AuditFilter,
  before: number | undefined,
  limit: number,
): Promise<Found> {
  const { read: db, kind } = database
  const ids = await idsOfTimes(db, filter)
  if (!ids) return { rows: [] }
  const [first, last] = ids
  const below = Math.min(before ?? Number.MAX_SAFE_INTEGER, (last ?? Number.MAX_SAFE_INTEGER - 1) + 1)
  // One entry more than asked for tells whether there is a next page.
  const most = limit + 1
  const log = wholeLog(filter)
  if (log) return page(await newestOf(db, { ...log, below, most }), limit)
  let all = filtered(db, filter).where('id', '<', below).orderBy('id', 'desc')
  if (first !== undefined) all = all.where('id', '>=', first)
  if (!filter.query) return page(await all.select(shown).limit(most).execute(), limit)

  const isOfDevice = filter.type === 'device log'
  const whole = isOfDevice || (await countByEvent(db, { ...filter, events: [] })) <= small
  const edge = await all
    .select('id')
    .offset((whole ? small : readMost) - 1)
    .limit(1)
    .executeTakeFirst()
  const matching = all.select(shown).where(contains(filter.query)).limit(most)
  const recent = await (edge ? matching.where('id', '>=', edge.id) : matching).execute()
  if (!edge || recent.length === most) return page(recent, limit)
  // Two characters are in no index: the reader goes on from here, page by page.
  if (isOfDevice || gramsOf(filter.query).length === 0) return { rows: recent, next: edge.id }
  const indexing = await textIndexProgress(database)
  if (indexing !== undefined) return { rows: recent, next: edge.id, indexing }
  const candidates = await lookUp(db, kind, filter, edge.id)
  const older = await matching
    .where(isAmong(kind, candidates))
    .limit(most - recent.length)
    .execute()
  const found = page([...recent, ...older], limit)
  return candidates.length === lookedUpMost && !found.next ? { ...found, next: candidates.at(-1)! } : found
}

/** The condition that an entry is one of these. One parameter, however many they are. */
const isAmong = (kind: Database['kind'], ids: number[]) =>
  kind === 'sqlite'
    ? sql<boolean>`id in (select value from json_each(${JSON.stringify(ids)}))`
    : sql<boolean>`id = any(${ids}::bigint[])`

function page(rows: ShownEntry[], limit: number): Found {
  return rows.length > limit ? { rows: rows.slice(0, limit), next: rows[limit - 1]!.id } : { rows }
}

/**
 * Number of entries that match: exact for a log and its events, and up to `countedMost` for what has to be searched and
 * in the log of a device.
 */
export async function countEntries(database: Database, filter: AuditFilter): Promise<number> {
  if (filter.query) return (await findEntries(database, filter, undefined, countedMost)).rows.length
  const byCounts = filter.username === undefined && filter.from === undefined && filter.to === undefined
  if (byCounts && filter.type !== 'device log') return countByEvent(database.read, filter)
  const ids = await idsOfTimes(database.read, filter)
  if (!ids) return 0
  let some = filtered(database.read, filter).select('id').limit(countedMost)
  if (ids[0] !== undefined) some = some.where('id', '>=', ids[0])
  if (ids[1] !== undefined) some = some.where('id', '<=', ids[1])
  const { total } = await database.read
    .selectFrom(some.as('some'))
    .select((count) => count.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return Number(total)
}
