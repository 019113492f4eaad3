import type { AuditScope } from '@app/contract'
import { type Expression, type SqlBool, sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/tables.ts'

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
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    audit_log: Omit<AuditRow, 'id'> & { id: import('kysely').Generated<number> }
    audit_counts: { scope_type: AuditScope; scope_id: string; event: string; count: number }
  }
}

export interface AuditFilter {
  type: AuditScope
  id: string
  events: readonly string[]
  username?: string | undefined
  query?: string | undefined
}

/** Appends an entry and counts it; entries are never changed or removed. Returns its id. */
export async function insertEntry(tx: Tx, row: Omit<AuditRow, 'id'>): Promise<number> {
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

function matching(db: Db, filter: AuditFilter) {
  let rows = db.selectFrom('audit_log').where('scope_type', '=', filter.type).where('scope_id', '=', filter.id)
  if (filter.events.length > 0) rows = rows.where('event', 'in', filter.events)
  if (filter.username !== undefined) rows = rows.where('username', '=', filter.username)
  if (filter.query) {
    const like = `%${filter.query.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`
    const has = (column: 'event' | 'body' | 'username'): Expression<SqlBool> =>
      sql`lower(${sql.ref(column)}) like ${like} escape '\\'`
    rows = rows.where((where) => where.or([has('event'), has('body'), has('username')]))
  }
  return rows
}

/** Newest first, older than the cursor. */
export async function listEntries(
  db: Db,
  filter: AuditFilter,
  before: number | undefined,
  limit: number,
): Promise<AuditRow[]> {
  const rows = matching(db, filter).selectAll().orderBy('id', 'desc').limit(limit)
  return (before === undefined ? rows : rows.where('id', '<', before)).execute()
}

/** How many entries match. Without a text or user filter the running counts answer, however long the log is. */
export async function countEntries(db: Db, filter: AuditFilter): Promise<number> {
  if (filter.username !== undefined || filter.query) {
    const { total } = await matching(db, filter)
      .select((count) => count.fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow()
    return Number(total)
  }
  let counts = db.selectFrom('audit_counts').where('scope_type', '=', filter.type).where('scope_id', '=', filter.id)
  if (filter.events.length > 0) counts = counts.where('event', 'in', filter.events)
  const { total } = await counts.select((sum) => sum.fn.sum<number>('count').as('total')).executeTakeFirstOrThrow()
  return Number(total ?? 0)
}
