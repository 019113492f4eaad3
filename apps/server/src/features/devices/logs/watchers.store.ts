import type { Db, Tx } from '../../../platform/db/tables.ts'
import type { Sweep } from '../../../platform/sweeper.ts'

export interface LogWatcherRow {
  device_id: string
  /** The id of one run of a server. */
  server_id: string
  team_id: string
  /** It says so again before then. */
  until: number
}

declare module '../../../platform/db/tables.ts' {
  interface Tables {
    device_log_watchers: LogWatcherRow
  }
}

export async function putWatcher(tx: Tx, row: LogWatcherRow): Promise<void> {
  await tx
    .insertInto('device_log_watchers')
    .values(row)
    .onConflict((conflict) => conflict.columns(['device_id', 'server_id']).doUpdateSet({ until: row.until }))
    .execute()
}

/** Lets the rows of one server last until then. */
export async function extendWatchers(db: Db, serverId: string, until: number): Promise<void> {
  await db.updateTable('device_log_watchers').set({ until }).where('server_id', '=', serverId).execute()
}

export async function deleteWatcher(tx: Tx, deviceId: string, serverId: string): Promise<void> {
  await tx
    .deleteFrom('device_log_watchers')
    .where('device_id', '=', deviceId)
    .where('server_id', '=', serverId)
    .execute()
}

export async function listWatchers(db: Db, now: number): Promise<LogWatcherRow[]> {
  return db.selectFrom('device_log_watchers').selectAll().where('until', '>', now).limit(10_000).execute()
}

/** Removes the rows of servers that ended without a word, a few at most. */
export const watcherSweep: Sweep = async (db, now) =>
  Number((await db.deleteFrom('device_log_watchers').where('until', '<=', now).executeTakeFirst()).numDeletedRows)
