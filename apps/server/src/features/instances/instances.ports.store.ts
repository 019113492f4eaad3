import { sql } from 'kysely'
import type { PortRange } from '../../config.ports.ts'
import type { Db, Tx } from '../../platform/db/tables.ts'
import type { BriefInstance, InstanceRow } from './instances.store.ts'
import { briefColumns } from './instances.store.ts'

/** Lets one transaction at a time give out ports. The embedded database has one anyway. */
async function lockPorts(tx: Tx, postgres: boolean): Promise<void> {
  if (postgres) await sql`select pg_advisory_xact_lock(727130)`.execute(tx)
}

const holds = ({ first, last }: PortRange, port: number | null): port is number =>
  port !== null && port >= first && port <= last

/**
 * The ports of the range that are free: first those above all in use, so that a browser meets a new instance where it
 * knows none, then the gaps that deleted ones left.
 */
function* freePorts({ first, last }: PortRange, used: ReadonlySet<number>): Generator<number> {
  const top = Math.max(first - 1, ...used)
  for (let port = top + 1; port <= last; port += 1) yield port
  for (let port = first; port < top; port += 1) if (!used.has(port)) yield port
}

/** A port for a new instance, nobody else's until the transaction ends; undefined when all are in use. */
export async function nextPort(tx: Tx, range: PortRange, postgres: boolean): Promise<number | undefined> {
  await lockPorts(tx, postgres)
  const rows = await tx.selectFrom('instances').select('port').where('port', 'is not', null).execute()
  const used = new Set(rows.flatMap(({ port }) => (holds(range, port) ? [port] : [])))
  return freePorts(range, used).next().value ?? undefined
}

/**
 * Gives a port of the range to every instance without one, the oldest first, and takes those outside away. Deleted ones
 * count too, since they can be restored. @returns how many are left without.
 */
export async function assignPorts(tx: Tx, range: PortRange, postgres: boolean): Promise<number> {
  await lockPorts(tx, postgres)
  const rows = await tx.selectFrom('instances').select(['id', 'port']).orderBy('created_at').orderBy('id').execute()
  const used = new Set(rows.flatMap(({ port }) => (holds(range, port) ? [port] : [])))
  const without = rows.filter(({ port }) => !holds(range, port))
  if (without.length === 0) return 0
  const free = [...freePorts(range, used)].slice(0, without.length)
  const cases = without.map(({ id }, at) => sql`when ${id} then cast(${free[at] ?? null} as integer)`)
  await tx
    .updateTable('instances')
    .set({ port: sql<number | null>`case id ${sql.join(cases, sql` `)} end` })
    .where(
      'id',
      'in',
      without.map(({ id }) => id),
    )
    .execute()
  return without.length - free.length
}

/** The ports of existing instances. */
export async function listPorts(db: Db, range: PortRange): Promise<Pick<InstanceRow, 'id' | 'port'>[]> {
  return db
    .selectFrom('instances')
    .select(['id', 'port'])
    .where('port', '>=', range.first)
    .where('port', '<=', range.last)
    .where('deleted_at', 'is', null)
    .execute()
}

/** Number of existing instances without a port of the range. */
export async function countWithoutPort(db: Db, range: PortRange): Promise<number> {
  const row = await db
    .selectFrom('instances')
    .select((count) => count.fn.countAll<number>().as('n'))
    .where('deleted_at', 'is', null)
    .where((where) =>
      where.or([where('port', 'is', null), where('port', '<', range.first), where('port', '>', range.last)]),
    )
    .executeTakeFirstOrThrow()
  return Number(row.n)
}

export async function findByPort(db: Db, port: number): Promise<BriefInstance | undefined> {
  return db
    .selectFrom('instances')
    .select(briefColumns)
    .where('port', '=', port)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
}
