import { hashToken, newToken } from '../../platform/crypto.ts'
import type { Db, Tx } from '../../platform/db/tables.ts'
import type { Sweep } from '../../platform/sweeper.ts'

interface CodeRow {
  hash: string
  /** The device may be gone. */
  device_id: string
  team_id: string
  expires_at: number
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    device_codes: CodeRow
  }
}

const validFor = 24 * 60 * 60_000

/** Agents send a code in base64: those of ours begin so. */
const encodedPrefix = Buffer.from('ffotc_').toString('base64')

/** Is this bearer token a one-time code as agents send it? */
export const isCode = (bearer: string): boolean => bearer.startsWith(encodedPrefix)

export const hashOfCode = (bearer: string): string => hashToken(Buffer.from(bearer, 'base64').toString())

/** A new code for a device, shown this once; former ones stop working. */
export async function insertCode(tx: Tx, deviceId: string, teamId: string, now: number): Promise<string> {
  const code = newToken('ffotc')
  await tx.deleteFrom('device_codes').where('device_id', '=', deviceId).execute()
  const row = { hash: hashToken(code), device_id: deviceId, team_id: teamId, expires_at: now + validFor }
  await tx.insertInto('device_codes').values(row).execute()
  return code
}

/** The device that a code is for; undefined for one that is used or has had its time. */
export async function findCode(db: Db, hash: string, now: number) {
  return db
    .selectFrom('device_codes')
    .select(['device_id', 'team_id'])
    .where('hash', '=', hash)
    .where('expires_at', '>', now)
    .executeTakeFirst()
}

/** False when it is used, or has had its time. */
export async function useCode(tx: Tx, hash: string, now: number): Promise<boolean> {
  const used = tx.deleteFrom('device_codes').where('hash', '=', hash).where('expires_at', '>', now)
  return (await used.executeTakeFirst()).numDeletedRows === 1n
}

export const codeSweep: Sweep = async (db, now, atMost) => {
  const ended = db.selectFrom('device_codes').select('hash').where('expires_at', '<=', now).limit(atMost)
  return Number((await db.deleteFrom('device_codes').where('hash', 'in', ended).executeTakeFirst()).numDeletedRows)
}
