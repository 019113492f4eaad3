import { sql } from 'kysely'
import type { Db } from '../../../platform/db/tables.ts'
import type { Sweep } from '../../../platform/sweeper.ts'
import { hourSeconds } from './loads.points.ts'

export interface DeviceLoadRow {
  device_id: string
  /** Hours since the epoch. */
  hour: number
  /** `textOf` its points. */
  points: string
}

declare module '../../../platform/db/tables.ts' {
  interface Tables {
    device_loads: DeviceLoadRow
  }
}

/** Charts reach back a day; the hour of its beginning is kept whole. */
const hoursKept = 25
/** Rows in one statement. */
const atOnce = 500

/** Adds the points to those of their hours: each row stands once. */
export async function appendLoads(db: Db, rows: readonly DeviceLoadRow[]): Promise<void> {
  for (let at = 0; at < rows.length; at += atOnce)
    await db
      .insertInto('device_loads')
      .values(rows.slice(at, at + atOnce))
      .onConflict((conflict) =>
        conflict
          .columns(['device_id', 'hour'])
          .doUpdateSet({ points: sql`${sql.ref('device_loads.points')} || ${sql.ref('excluded.points')}` }),
      )
      .execute()
}

export async function readLoads(db: Db, deviceId: string, fromHour: number): Promise<DeviceLoadRow[]> {
  const rows = db.selectFrom('device_loads').selectAll().where('device_id', '=', deviceId)
  return rows.where('hour', '>=', fromHour).orderBy('hour').execute()
}

/** Removes what no chart shows any more. */
export const loadSweep: Sweep = async (db, now, atMost) => {
  const oldest = Math.floor(now / 1_000 / hourSeconds) - hoursKept
  const ended = db.selectFrom('device_loads').select(['device_id', 'hour']).where('hour', '<', oldest).limit(atMost)
  const gone = db.deleteFrom('device_loads').where(sql<boolean>`(device_id, hour) in (${ended})`)
  return Number((await gone.executeTakeFirst()).numDeletedRows)
}
