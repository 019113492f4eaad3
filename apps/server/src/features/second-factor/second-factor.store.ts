import type { FactorKind } from '@app/contract'
import { sql } from 'kysely'
import { keepFactor, type UserRow } from '../account/index.ts'
import type { Db, Flag, Tx } from '../../platform/db/tables.ts'

export interface FactorRow {
  id: string
  user_id: string
  kind: FactorKind
  name: string
  /** An app counts once a code of it was given. */
  confirmed: Flag
  /** Sealed secret of an app. */
  secret: string | null
  /** The 30 seconds whose code was accepted last; neither it nor an earlier one counts again. */
  last_step: number | null
  credential_id: string | null
  /** COSE key of a passkey, base64url. */
  public_key: string | null
  counter: number | null
  transports: string | null
  /** The host name of the console that a passkey was made for; null for an app, and where it is not known. */
  host: string | null
  created_at: number
  last_used_at: number | null
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    second_factors: FactorRow
    recovery_codes: { hash: string; user_id: string }
  }
}

export async function insertFactor(tx: Tx, row: FactorRow): Promise<void> {
  await tx.insertInto('second_factors').values(row).execute()
}

/** Returns the active factors, oldest first. */
export async function listFactors(db: Db, userId: string): Promise<FactorRow[]> {
  return db
    .selectFrom('second_factors')
    .selectAll()
    .where('user_id', '=', userId)
    .where('confirmed', '=', 1)
    .orderBy('id')
    .execute()
}

export async function findApp(db: Db, userId: string, confirmed: Flag): Promise<FactorRow | undefined> {
  return db
    .selectFrom('second_factors')
    .selectAll()
    .where('user_id', '=', userId)
    .where('kind', '=', 'app')
    .where('confirmed', '=', confirmed)
    .executeTakeFirst()
}

export async function deleteApps(tx: Tx, userId: string, confirmed: Flag): Promise<void> {
  await tx
    .deleteFrom('second_factors')
    .where('user_id', '=', userId)
    .where('kind', '=', 'app')
    .where('confirmed', '=', confirmed)
    .execute()
}

/** False when somebody was faster, or started anew meanwhile. */
export async function confirmApp(tx: Tx, id: string, step: number): Promise<boolean> {
  const result = await tx
    .updateTable('second_factors')
    .set({ confirmed: 1, last_step: step })
    .where('id', '=', id)
    .where('confirmed', '=', 0)
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

/** Uses up the code of these 30 seconds; false when it, or a later one, was used before. */
export async function useStep(tx: Tx, id: string, step: number, now: number): Promise<boolean> {
  const result = await tx
    .updateTable('second_factors')
    .set({ last_step: step, last_used_at: now })
    .where('id', '=', id)
    .where('last_step', '<', step)
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

export async function findPasskey(db: Db, userId: string, credentialId: string): Promise<FactorRow | undefined> {
  return db
    .selectFrom('second_factors')
    .selectAll()
    .where('user_id', '=', userId)
    .where('credential_id', '=', credentialId)
    .executeTakeFirst()
}

/** False when the passkey was removed meanwhile. */
export async function usePasskey(
  tx: Tx,
  used: { id: string; counter: number; host: string },
  now: number,
): Promise<boolean> {
  const result = await tx
    .updateTable('second_factors')
    .set({ counter: used.counter, host: used.host, last_used_at: now })
    .where('id', '=', used.id)
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

/** Returns how many passkeys belong to each host name. */
export async function countPasskeys(db: Db): Promise<{ host: string | null; passkeys: number }[]> {
  const rows = await db
    .selectFrom('second_factors')
    .select((count) => ['host', count.fn.countAll<number>().as('passkeys')])
    .where('kind', '=', 'passkey')
    .groupBy('host')
    .orderBy('host')
    .execute()
  return rows.map(({ host, passkeys }) => ({ host, passkeys: Number(passkeys) }))
}

/** Removes one that counts; what it was, or undefined when it is not theirs. */
export async function deleteFactor(tx: Tx, userId: string, id: string): Promise<FactorRow | undefined> {
  return tx
    .deleteFrom('second_factors')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .where('confirmed', '=', 1)
    .returningAll()
    .executeTakeFirst()
}

async function deleteFactors(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('second_factors').where('user_id', '=', userId).execute()
}

/** Keeps with the user whether they have a factor, so that a request need not ask. Says who they are and what holds now. */
export async function markUser(
  tx: Tx,
  userId: string,
): Promise<Pick<UserRow, 'email' | 'name'> & { hasFactor: boolean }> {
  const counts = sql<Flag>`case when exists
    (select 1 from second_factors where user_id = users.id and confirmed = 1) then 1 else 0 end`
  const { email, name, second_factor } = await keepFactor(tx, userId, counts)
  return { email, name, hasFactor: second_factor === 1 }
}

export async function countRecoveryCodes(db: Db, userId: string): Promise<number> {
  const { n } = await db
    .selectFrom('recovery_codes')
    .select((count) => count.fn.countAll<number>().as('n'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return Number(n)
}

export async function replaceRecoveryCodes(tx: Tx, userId: string, hashes: readonly string[]): Promise<void> {
  await tx.deleteFrom('recovery_codes').where('user_id', '=', userId).execute()
  if (hashes.length === 0) return
  await tx
    .insertInto('recovery_codes')
    .values(hashes.map((hash) => ({ hash, user_id: userId })))
    .execute()
}

/** Uses a recovery code up; false when it is none of theirs, or was used before. */
export async function useRecoveryCode(tx: Tx, userId: string, hash: string): Promise<boolean> {
  const result = await tx
    .deleteFrom('recovery_codes')
    .where('hash', '=', hash)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return result.numDeletedRows === 1n
}

/** Takes everything from somebody: factors, recovery codes, and that they have a second factor. */
export async function forgetFactors(tx: Tx, userId: string): Promise<void> {
  await deleteFactors(tx, userId)
  await replaceRecoveryCodes(tx, userId, [])
  await markUser(tx, userId)
}
