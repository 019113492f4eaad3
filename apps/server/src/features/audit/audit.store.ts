import type { AuditScope } from '@app/contract'
import { sql } from 'kysely'
import { prepared } from '../../platform/db/prepared.ts'
import type { Db, Tx } from '../../platform/db/tables.ts'
import { type DeviceLog, inDeviceLog, type Stay } from './audit.device-log.ts'

export interface AuditRow {
  id: number
  created_at: number
  event: string
  scope_type: AuditScope
  scope_id: string
  trigger_id: string | null
  trigger_type: 'user' | 'system' | 'unknown'
  trigger_name: string
  username: string | null
  address: string
  body: string
  /** The device in whose log it stands as well; null: in none. The body says so too, which is what the MAC covers. */
  device_id: string | null
  /** Shows that the platform wrote the entry; null in those from before there were MACs. */
  mac: string | null
  /** Place in the chain, from 1 without gaps; null until the entry is sealed. */
  position: number | null
  seal: string | null
}
/** The columns of an entry that people see. */
export const shown = [
  'id',
  'created_at',
  'event',
  'scope_type',
  'scope_id',
  'trigger_id',
  'trigger_type',
  'trigger_name',
  'username',
  'address',
  'body',
] as const
export type ShownEntry = Pick<AuditRow, (typeof shown)[number]>

/** An entry as it is written; its place in the chain comes after the commit. */
export type NewEntry = Omit<AuditRow, 'id' | 'position' | 'seal'>

declare module '../../platform/db/tables.ts' {
  interface Tables {
    audit_log: Omit<AuditRow, 'id' | 'device_id' | 'mac' | 'position' | 'seal'> & {
      id: import('kysely').Generated<number>
      device_id: import('kysely').Generated<string | null>
      mac: import('kysely').Generated<string | null>
      position: import('kysely').Generated<number | null>
      seal: import('kysely').Generated<string | null>
    }
    audit_counts: { scope_type: AuditScope; scope_id: string; event: string; count: number }
  }
}

/**
 * Which log: of one object, of everything of a scope, the platform's, which has what concerns users as well, or that of a
 * device, whose entries stand in the log of its team or instance.
 */
export type AuditLogOf = { type: AuditScope; id?: string | undefined } | { type: 'platform log' } | DeviceLog

export type AuditFilter = (Exclude<AuditLogOf, DeviceLog> | (DeviceLog & { stays: readonly Stay[] })) & {
  events: readonly string[]
  username?: string | undefined
  query?: string | undefined
  /** Milliseconds; the first that counts, and the first that does not. */
  from?: number | undefined
  to?: number | undefined
}

/** Appends an entry and counts it; entries are never changed. Returns its id. */
export async function insertEntry(tx: Tx, row: NewEntry): Promise<number> {
  const { scope_type, scope_id, event } = row
  const { id } = await tx.insertInto('audit_log').values(row).returning('id').executeTakeFirstOrThrow()
  await tx
    .insertInto('audit_counts')
    .values({ scope_type, scope_id, event, count: 1 })
    .onConflict((conflict) =>
      conflict.columns(['scope_type', 'scope_id', 'event']).doUpdateSet({ count: sql`audit_counts.count + 1` }),
    )
    .execute()
  return id
}

/** The log of one object. */
type Log = { type: AuditScope; id: string }
const inLogOf = ({ type, id }: Log) => sql<boolean>`scope_type = ${type} and scope_id = ${id}`

/** The object whose whole log a filter lets through, as nearly every page asks for it. */
export function wholeLog(filter: AuditFilter): Log | undefined {
  const { type, events, username, query, from, to } = filter
  if (type === 'device log' || type === 'platform log' || filter.id === undefined) return undefined
  const isNarrowed = events.length > 0 || [username, query, from, to].some((one) => one !== undefined)
  return isNarrowed ? undefined : { type, id: filter.id }
}

/** Each column of a long list costs as much as computing with it, and in the log of one object its scope is known. */
const shownInLog = shown.filter((column) => column !== 'scope_type' && column !== 'scope_id')
const pageOfLog = prepared((db, { type, id, below, most }: Log & { below: number; most: number }) =>
  db
    .selectFrom('audit_log')
    .select(shownInLog)
    .where(inLogOf({ type, id }))
    .where('id', '<', below)
    .orderBy('id', 'desc')
    .limit(most),
)

/** Entries of a whole log, newest first. */
export async function newestOf(db: Db, page: Log & { below: number; most: number }): Promise<ShownEntry[]> {
  const scope = { scope_type: page.type, scope_id: page.id }
  return (await pageOfLog(db, page)).map((row) => ({ ...row, ...scope }))
}

const countOf = prepared((db, { type, id }: Log) =>
  db
    .selectFrom('audit_counts')
    .where(inLogOf({ type, id }))
    .select((sum) => sum.fn.sum<number | string | null>('count').as('total')),
)

/** 0 without entries. */
export async function newestId(db: Db): Promise<number> {
  const row = await db.selectFrom('audit_log').select('id').orderBy('id', 'desc').limit(1).executeTakeFirst()
  return row?.id ?? 0
}

// Exactly as the index has it.
const ofPlatformLog = sql<boolean>`(case when scope_type in ('platform', 'user') then 1 else 0 end) = 1`

/** The entries of a log by everything but their text. */
export function filtered(db: Db, filter: AuditFilter) {
  let rows = db.selectFrom('audit_log').where(inLog(filter))
  if (filter.events.length > 0) rows = rows.where('event', 'in', filter.events)
  if (filter.username !== undefined) rows = rows.where('username', '=', filter.username)
  if (filter.from !== undefined) rows = rows.where('created_at', '>=', filter.from)
  if (filter.to !== undefined) rows = rows.where('created_at', '<', filter.to)
  return rows
}

/**
 * The condition for a log. Where a person is asked for in more than one object's, theirs is the narrower index, and
 * the embedded database would not know: the condition is then one that no index has.
 */
function inLog(filter: AuditFilter) {
  if (filter.type === 'device log') return inDeviceLog(filter, filter.stays)
  const types = filter.type === 'platform log' ? ['platform', 'user'] : [filter.type]
  if (filter.type !== 'platform log' && filter.id !== undefined) return inLogOf({ type: filter.type, id: filter.id })
  if (filter.username !== undefined) return sql<boolean>`coalesce(scope_type, '') in (${sql.join(types)})`
  return filter.type === 'platform log' ? ofPlatformLog : sql<boolean>`scope_type = ${filter.type}`
}

/** More than ever are written at once: by so many may the order of times differ from that of ids. */
const disorder = 10_000

/**
 * The ids between which the times of a filter lie, so that a range of long ago is not reached by reading all that
 * came after it. `[first, last]`, each undefined for no bound; undefined when there is nothing in the range.
 */
export async function idsOfTimes(
  db: Db,
  { from, to }: Pick<AuditFilter, 'from' | 'to'>,
): Promise<[number | undefined, number | undefined] | undefined> {
  const times = db.selectFrom('audit_log').select('id')
  const first =
    from === undefined
      ? undefined
      : await times.where('created_at', '>=', from).orderBy('created_at').limit(1).executeTakeFirst()
  if (from !== undefined && !first) return undefined
  const last =
    to === undefined
      ? undefined
      : await times.where('created_at', '<', to).orderBy('created_at', 'desc').limit(1).executeTakeFirst()
  if (to !== undefined && !last) return undefined
  return [first && first.id - disorder, last && last.id + disorder]
}

/** Number of matching entries, by the running counts: however long the log is. Only for events of a log with counts. */
export async function countByEvent(db: Db, filter: Exclude<AuditFilter, { type: 'device log' }>): Promise<number> {
  const whole = wholeLog(filter)
  if (whole) return Number((await countOf(db, whole))[0]?.total ?? 0)
  let counts = db.selectFrom('audit_counts')
  if (filter.type === 'platform log') counts = counts.where('scope_type', 'in', ['platform', 'user'])
  else {
    counts = counts.where('scope_type', '=', filter.type)
    if (filter.id !== undefined) counts = counts.where('scope_id', '=', filter.id)
  }
  if (filter.events.length > 0) counts = counts.where('event', 'in', filter.events)
  const { total } = await counts.select((sum) => sum.fn.sum<number>('count').as('total')).executeTakeFirstOrThrow()
  return Number(total ?? 0)
}
