import type { ChangeOf } from '../../platform/db/columns.ts'
import { contains } from '../../platform/db/like.ts'
import type { Portion } from '../../platform/db/page.ts'
import type { Db, Tx } from '../../platform/db/tables.ts'

export interface ProvisioningRow {
  id: string
  team_id: string
  name: string
  token_hash: string
  /** May be gone: then nothing registers. */
  instance_id: string | null
  expires_at: number | null
  uses: number
  last_used_at: number | null
  created_at: number
  /** The person who made it; null for one from before that was kept. */
  created_by: string | null
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    provisioning_tokens: ProvisioningRow
  }
}

const whole = (db: Db) =>
  db
    .selectFrom('provisioning_tokens as token')
    .leftJoin('instances as instance', (join) =>
      join.onRef('instance.id', '=', 'token.instance_id').on('instance.deleted_at', 'is', null),
    )
    .leftJoin('device_targets as target', 'target.instance_id', 'instance.id')
    .leftJoin('snapshots as snapshot', 'snapshot.id', 'target.snapshot_id')
    .selectAll('token')
    .select(['instance.name as instance_name', 'snapshot.name as snapshot_name'])
/** A token with what its view names. */
export type WholeToken = NonNullable<Awaited<ReturnType<typeof findToken>>>

export const findToken = async (db: Db, teamId: string, id: string) =>
  whole(db).where('token.team_id', '=', teamId).where('token.id', '=', id).executeTakeFirst()

/** Newest first. */
export async function listTokens(
  db: Db,
  of: { teamId: string; text: string },
  { cursor, limit }: Portion,
): Promise<WholeToken[]> {
  let rows = whole(db).where('token.team_id', '=', of.teamId).orderBy('token.id', 'desc').limit(limit)
  if (of.text) rows = rows.where((token) => contains(token.fn<string>('lower', ['token.name']), of.text))
  if (cursor) rows = rows.where('token.id', '<', cursor)
  return rows.execute()
}

export async function countTokens(db: Db, of: { teamId: string; text: string }): Promise<number> {
  let rows = db.selectFrom('provisioning_tokens as token').where('team_id', '=', of.teamId)
  if (of.text) rows = rows.where((token) => contains(token.fn<string>('lower', ['token.name']), of.text))
  const { n } = await rows.select((count) => count.fn.countAll<number>().as('n')).executeTakeFirstOrThrow()
  return Number(n)
}

/** The provisioning token; undefined for one that is revoked or has expired. */
export async function findByHash(db: Db, hash: string, now: number) {
  return db
    .selectFrom('provisioning_tokens')
    .select(['id', 'name', 'team_id'])
    .where('token_hash', '=', hash)
    .where((token) => token.or([token('expires_at', 'is', null), token('expires_at', '>', now)]))
    .executeTakeFirst()
}

export async function insertProvisioning(tx: Tx, row: ProvisioningRow): Promise<void> {
  await tx.insertInto('provisioning_tokens').values(row).execute()
}

export async function updateProvisioning<Change extends Partial<ProvisioningRow>>(
  tx: Tx,
  id: string,
  change: ChangeOf<ProvisioningRow, Change>,
): Promise<void> {
  await tx.updateTable('provisioning_tokens').set(change).where('id', '=', id).execute()
}

/** Counts one more use, and returns the token; undefined when it was revoked or expired meanwhile. */
export async function useProvisioning(tx: Tx, id: string, now: number): Promise<ProvisioningRow | undefined> {
  await tx
    .updateTable('provisioning_tokens')
    .set((token) => ({ uses: token('uses', '+', 1), last_used_at: now }))
    .where('id', '=', id)
    .where((token) => token.or([token('expires_at', 'is', null), token('expires_at', '>', now)]))
    .execute()
  // The update holds the row: nobody revokes it before the device is there.
  return tx
    .selectFrom('provisioning_tokens')
    .selectAll()
    .where('id', '=', id)
    .where('last_used_at', '=', now)
    .executeTakeFirst()
}

/** False when it is gone already. */
export async function deleteProvisioning(tx: Tx, id: string): Promise<boolean> {
  return (await tx.deleteFrom('provisioning_tokens').where('id', '=', id).executeTakeFirst()).numDeletedRows === 1n
}

/** Deletes the tokens that somebody has made, and returns what they were. */
export const deleteProvisioningBy = (tx: Tx, userId: string) =>
  tx
    .deleteFrom('provisioning_tokens')
    .where('created_by', '=', userId)
    .returning(['id', 'name', 'team_id as teamId'])
    .execute()
