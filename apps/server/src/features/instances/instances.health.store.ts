import { sql } from 'kysely'
import type { Db } from '../../platform/db/tables.ts'

const up = ['running', 'safe', 'starting', 'loading', 'installing']

/** Numbers of instances that should run, and of those among them that do not while nothing is being done about it. */
export async function countWanted(db: Db): Promise<{ wanted: number; down: number }> {
  const row = await db
    .selectFrom('instances')
    .select([
      sql<number>`count(*)`.as('wanted'),
      sql<number>`count(case when in_flight is null and observed not in (${sql.join(up)}) then 1 end)`.as('down'),
    ])
    .where('wanted', '=', 'running')
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow()
  return { wanted: Number(row.wanted), down: Number(row.down) }
}

/** Number of instances by the state that was seen last. */
export async function countByObserved(db: Db): Promise<{ state: string; n: number }[]> {
  const rows = await db
    .selectFrom('instances')
    .select(['observed as state', sql<number>`count(*)`.as('n')])
    .where('deleted_at', 'is', null)
    .groupBy('observed')
    .execute()
  return rows.map(({ state, n }) => ({ state, n: Number(n) }))
}
