import type { ExpressionBuilder } from 'kysely'
import type { Db, Tables, Tx } from '../../platform/db/tables.ts'

export interface RequestRow {
  id: string
  instance_id: string
  client_id: string
  redirect_uri: string
  scope: string
  state: string
  code_challenge: string
  /** Set once the person was let through; the code itself is shown once. */
  code_hash: string | null
  user_id: string | null
  /** The network where it was begun; once a person was let through, their address. */
  address: string
  /** Hash of the cookie of the browser that began it. */
  browser_hash: string
  created_at: number
  expires_at: number
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    editor_sign_ins: RequestRow
  }
}

const most = 100
const mostOfAddress = 30

/**
 * Keeps a request. Expired ones go, the oldest beyond thirty of its address, so that nobody pushes out what others have
 * begun, and the oldest beyond a hundred of its instance, so that one cannot push out another's.
 */
export async function insertRequest(tx: Tx, row: RequestRow): Promise<void> {
  await tx.deleteFrom('editor_sign_ins').where('expires_at', '<=', row.created_at).execute()
  await makeRoom(tx, { instance_id: row.instance_id, address: row.address }, mostOfAddress)
  await makeRoom(tx, { instance_id: row.instance_id }, most)
  await tx.insertInto('editor_sign_ins').values(row).execute()
}

/** Drops the oldest of these requests, so that one more is at most the `limit`th. */
async function makeRoom(tx: Tx, of: { instance_id: string; address?: string }, limit: number): Promise<void> {
  const those = (where: ExpressionBuilder<Tables, 'editor_sign_ins'>) => where.and(of)
  const oldest = await tx
    .selectFrom('editor_sign_ins')
    .select('id')
    .where(those)
    .orderBy('id', 'desc')
    .offset(limit - 1)
    .limit(1)
    .executeTakeFirst()
  if (oldest) await tx.deleteFrom('editor_sign_ins').where(those).where('id', '<=', oldest.id).execute()
}

export async function findRequest(db: Db, id: string, now: number): Promise<RequestRow | undefined> {
  return db
    .selectFrom('editor_sign_ins')
    .selectAll()
    .where('id', '=', id)
    .where('expires_at', '>', now)
    .where('code_hash', 'is', null)
    .executeTakeFirst()
}

/** Turns a request into a code, once. */
export async function grantCode(
  tx: Tx,
  id: string,
  change: { code_hash: string; user_id: string; address: string; expires_at: number },
): Promise<boolean> {
  const result = await tx
    .updateTable('editor_sign_ins')
    .set(change)
    .where('id', '=', id)
    .where('code_hash', 'is', null)
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

/** Takes a request out by its code; whoever comes second finds nothing. */
export async function takeByCode(tx: Tx, codeHash: string): Promise<RequestRow | undefined> {
  return tx.deleteFrom('editor_sign_ins').where('code_hash', '=', codeHash).returningAll().executeTakeFirst()
}

export async function deleteRequest(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('editor_sign_ins').where('id', '=', id).execute()
}

export async function deleteRequestsOf(tx: Tx, instanceId: string): Promise<void> {
  await tx.deleteFrom('editor_sign_ins').where('instance_id', '=', instanceId).execute()
}
