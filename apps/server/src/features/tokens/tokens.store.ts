import type { Db, Tx } from '../../platform/db/tables.ts'

export interface TokenRow {
  id: string
  /** `instance`: the calls of a running instance; `editor`: a person signed in to one. */
  kind: 'instance' | 'editor'
  hash: string
  refresh_hash: string | null
  user_id: string | null
  instance_id: string | null
  team_id: string | null
  scopes: string
  /** What the editor was told of the person's rights: `*`, `read` or `http`. */
  grant_scope: string | null
  expires_at: number | null
  created_at: number
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    tokens: TokenRow
  }
}

export async function insertToken(tx: Tx, row: TokenRow): Promise<void> {
  await tx.insertInto('tokens').values(row).execute()
}

/** A token with its user, when it belongs to one. */
export async function findToken(db: Db, hash: string) {
  return db
    .selectFrom('tokens as token')
    .leftJoin('users as user', 'user.id', 'token.user_id')
    .selectAll('token')
    .select([
      'user.username',
      'user.name',
      'user.admin',
      'user.suspended',
      'user.email_verified',
      'user.password_expired',
    ])
    .where('token.hash', '=', hash)
    .executeTakeFirst()
}

export async function findRefreshToken(db: Db, hash: string): Promise<TokenRow | undefined> {
  return db.selectFrom('tokens').selectAll().where('refresh_hash', '=', hash).executeTakeFirst()
}

/** True when it was there: a refresh token counts once. */
export async function deleteToken(tx: Tx, id: string): Promise<boolean> {
  return (await tx.deleteFrom('tokens').where('id', '=', id).executeTakeFirst()).numDeletedRows === 1n
}

export async function deleteTokensOfInstance(tx: Tx, instanceId: string, kind: TokenRow['kind']): Promise<void> {
  await tx.deleteFrom('tokens').where('instance_id', '=', instanceId).where('kind', '=', kind).execute()
}

/** Returns the instance of each. */
export async function deleteEditorTokensOf(tx: Tx, userId: string): Promise<string[]> {
  const rows = await tx
    .deleteFrom('tokens')
    .where('user_id', '=', userId)
    .where('kind', '=', 'editor')
    .returning('instance_id')
    .execute()
  return rows.flatMap((row) => row.instance_id ?? [])
}
