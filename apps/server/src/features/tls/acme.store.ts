import type { HealthCodeName } from '@app/contract'
import type { Db, Tx } from '../../platform/db/tables.ts'
import type { Sweep } from '../../platform/sweeper.ts'

/** An account at an ACME server. */
export interface AcmeAccountRow {
  /** Address of the directory of the server. */
  directory: string
  email: string
  key_sealed: string
  /** Null until the server has confirmed it. */
  url: string | null
  /** Until then the server takes no orders, by its rate limit. */
  paused_until: number
  created_at: number
}

/** A host name that gets a certificate. */
export interface AcmeCertificateRow {
  name: string
  /** The server that issued the certificate, or is asked for the first one. */
  directory: string
  /** PEM, with the authorities between; null until the first one is issued. */
  certificate: string | null
  key_sealed: string | null
  expires_at: number | null
  /** An order that has not ended: after a crash it goes on. */
  order_url: string | null
  order_key_sealed: string | null
  /** When the next order is made. */
  due_at: number
  /** Failed attempts since the last certificate. */
  failures: number
  fault_code: HealthCodeName | null
  fault: string | null
  created_at: number
}

interface AcmeChallengeRow {
  token: string
  name: string
  answer: string
  created_at: number
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    acme_accounts: AcmeAccountRow
    acme_certificates: AcmeCertificateRow
    acme_challenges: AcmeChallengeRow
  }
}

const dayMs = 86_400_000

export const findAccount = (db: Db, directory: string): Promise<AcmeAccountRow | undefined> =>
  db.selectFrom('acme_accounts').selectAll().where('directory', '=', directory).executeTakeFirst()

/** Keeps a new account, unless there is one. */
export async function keepAccount(tx: Tx, row: AcmeAccountRow): Promise<void> {
  await tx
    .insertInto('acme_accounts')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function updateAccount(
  tx: Tx,
  directory: string,
  change: Partial<Pick<AcmeAccountRow, 'email' | 'url' | 'paused_until'>>,
): Promise<void> {
  await tx.updateTable('acme_accounts').set(change).where('directory', '=', directory).execute()
}

export const findCertificate = (db: Db, name: string): Promise<AcmeCertificateRow | undefined> =>
  db.selectFrom('acme_certificates').selectAll().where('name', '=', name).executeTakeFirst()

/** Records that a name gets a certificate, unless it is recorded already. */
export async function keepName(tx: Tx, row: Pick<AcmeCertificateRow, 'name' | 'directory' | 'created_at'>) {
  await tx
    .insertInto('acme_certificates')
    .values({
      ...row,
      certificate: null,
      key_sealed: null,
      expires_at: null,
      order_url: null,
      order_key_sealed: null,
      due_at: row.created_at,
      failures: 0,
      fault_code: null,
      fault: null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function updateCertificate(
  tx: Tx,
  name: string,
  change: Partial<Omit<AcmeCertificateRow, 'name'>>,
): Promise<void> {
  await tx.updateTable('acme_certificates').set(change).where('name', '=', name).execute()
}

export async function deleteCertificate(tx: Tx, name: string): Promise<void> {
  await tx.deleteFrom('acme_certificates').where('name', '=', name).execute()
}

/** Names whose order is due, the longest overdue first. */
export async function listDue(db: Db, now: number, limit: number): Promise<string[]> {
  const due = db.selectFrom('acme_certificates').select('name').where('due_at', '<=', now)
  return (await due.orderBy('due_at').limit(limit).execute()).map(({ name }) => name)
}

/** Makes every name due that failed for another reason than the rate limit. */
export async function retryFailed(tx: Tx, now: number): Promise<void> {
  const failed = tx.updateTable('acme_certificates').set({ due_at: now }).where('failures', '>', 0)
  await failed.where('fault_code', '!=', 'TLS10').execute()
}

/** Makes every certificate due that another ACME server issued. */
export async function replaceOthers(tx: Tx, directory: string, now: number): Promise<void> {
  await tx
    .updateTable('acme_certificates')
    .set({
      directory,
      due_at: now,
      order_url: null,
      order_key_sealed: null,
      failures: 0,
      fault_code: null,
      fault: null,
    })
    .where('directory', '!=', directory)
    .execute()
}

/** The names with a fault, those without a certificate first. */
export const listFaults = (db: Db, limit: number) =>
  db
    .selectFrom('acme_certificates')
    .select(['name', 'expires_at', 'due_at', 'fault_code', 'fault'])
    .where('fault', 'is not', null)
    .orderBy('expires_at')
    .orderBy('name')
    .limit(limit)
    .execute()

/** Number of names with a certificate. */
export async function countIssued(db: Db): Promise<number> {
  const issued = db.selectFrom('acme_certificates').where('certificate', 'is not', null)
  const { count } = await issued.select((row) => row.fn.countAll<string>().as('count')).executeTakeFirstOrThrow()
  return Number(count)
}

export async function keepChallenge(tx: Tx, row: AcmeChallengeRow): Promise<void> {
  await tx
    .insertInto('acme_challenges')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Finds the answer for an ACME server that asks this name for a token. */
export async function findAnswer(db: Db, name: string, token: string): Promise<string | undefined> {
  const known = db.selectFrom('acme_challenges').select('answer').where('token', '=', token)
  return (await known.where('name', '=', name).executeTakeFirst())?.answer
}

export async function deleteChallenges(tx: Tx, name: string): Promise<void> {
  await tx.deleteFrom('acme_challenges').where('name', '=', name).execute()
}

/** Challenges whose order was given up. */
export const challengeSweep: Sweep = async (db, now) =>
  Number(
    (
      await db
        .deleteFrom('acme_challenges')
        .where('created_at', '<', now - 7 * dayMs)
        .executeTakeFirst()
    ).numDeletedRows,
  )
