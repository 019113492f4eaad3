import type { Db, Tx } from '../../../platform/db/tables.ts'
import type { Sweep } from '../../../platform/sweeper.ts'

export interface DeviceRequestRow {
  id: string
  device_id: string
  team_id: string
  command: string
  /** JSON, sealed: it may have the token of a tunnel. */
  payload: string
  wait_ms: number
  /** Outcome as JSON; null: none yet. */
  answer: string | null
  expires_at: number
}

declare module '../../../platform/db/tables.ts' {
  interface Tables {
    /** Kept for as long as a server waits for the answer. */
    device_requests: DeviceRequestRow
  }
}

export const requestContext = (id: string): string => `device_requests:${id}:payload`

export async function insertRequest(tx: Tx, row: DeviceRequestRow): Promise<void> {
  await tx.insertInto('device_requests').values(row).execute()
}

export async function findRequest(db: Db, id: string): Promise<DeviceRequestRow | undefined> {
  return db.selectFrom('device_requests').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function answerRequest(tx: Tx, id: string, answer: string): Promise<void> {
  await tx.updateTable('device_requests').set({ answer }).where('id', '=', id).execute()
}

export async function deleteRequest(db: Db, id: string): Promise<void> {
  await db.deleteFrom('device_requests').where('id', '=', id).execute()
}

/** Removes those of servers that ended while they waited. */
export const requestSweep: Sweep = async (db, now, atMost) => {
  const ended = db.selectFrom('device_requests').select('id').where('expires_at', '<=', now).limit(atMost)
  return Number((await db.deleteFrom('device_requests').where('id', 'in', ended).executeTakeFirst()).numDeletedRows)
}
