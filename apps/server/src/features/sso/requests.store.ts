import type { Db, Tx } from '../../platform/db/tables.ts'
import type { Sweep } from '../../platform/sweeper.ts'

/** A sign-in that was begun here, and waits for the answer of its provider. */
export interface RequestRow {
  /** The hash of its id: the InResponseTo of SAML, the state of OpenID Connect. */
  id_hash: string
  provider_id: string
  /** The hash of the cookie of the browser that began it. */
  browser_hash: string
  return_to: string
  /** The values that the protocol needs again, sealed. */
  data: string
  expires_at: number
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    sso_requests: RequestRow
    /** Answers that were used, until they are not valid any more. */
    sso_answers: { provider_id: string; id_hash: string; expires_at: number }
  }
}

export async function insertRequest(tx: Tx, row: RequestRow): Promise<void> {
  await tx.insertInto('sso_requests').values(row).execute()
}

export async function findRequest(db: Db, idHash: string, now: number): Promise<RequestRow | undefined> {
  return db
    .selectFrom('sso_requests')
    .selectAll()
    .where('id_hash', '=', idHash)
    .where('expires_at', '>', now)
    .executeTakeFirst()
}

/** Uses a request up; false when an answer used it before. */
export async function deleteRequest(tx: Tx, idHash: string): Promise<boolean> {
  return (await tx.deleteFrom('sso_requests').where('id_hash', '=', idHash).executeTakeFirst()).numDeletedRows === 1n
}

/** Uses an answer up, on whichever server; false when it was used before. */
export async function insertAnswer(
  tx: Tx,
  row: { provider_id: string; id_hash: string; expires_at: number },
): Promise<boolean> {
  const added = await tx
    .insertInto('sso_answers')
    .values(row)
    .onConflict((conflict) => conflict.columns(['provider_id', 'id_hash']).doNothing())
    .executeTakeFirst()
  return added.numInsertedOrUpdatedRows === 1n
}

const countOf = async (rows: { executeTakeFirst(): Promise<{ numDeletedRows: bigint }> }): Promise<number> =>
  Number((await rows.executeTakeFirst()).numDeletedRows)

/** Sweeps of sign-ins that were never finished, and of used answers that could not be used again anyway. */
export const ssoSweeps: Sweep[] = [
  async (db, now, atMost) => {
    const old = db.selectFrom('sso_requests').select('id_hash').where('expires_at', '<=', now).limit(atMost)
    return countOf(db.deleteFrom('sso_requests').where('id_hash', 'in', old))
  },
  async (db, now, atMost) => {
    const old = db.selectFrom('sso_answers').select('id_hash').where('expires_at', '<=', now).limit(atMost)
    // Another provider may have given the same id, in an answer that is still valid.
    return countOf(db.deleteFrom('sso_answers').where('id_hash', 'in', old).where('expires_at', '<=', now))
  },
  async (db, now, atMost) => {
    const old = db.selectFrom('sso_links').select('token_hash').where('expires_at', '<=', now).limit(atMost)
    return countOf(db.deleteFrom('sso_links').where('token_hash', 'in', old))
  },
]
