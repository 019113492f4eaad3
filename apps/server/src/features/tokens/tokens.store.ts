import type { Db, Tx } from '../../platform/db/tables.ts'
import { secondFactorRequired } from '../settings/index.ts'

export interface TokenRow {
  id: string
  /** `instance`: the calls of a running instance; `editor`: a person signed in to one; `personal`: made by a person; `statistics`: of a program. */
  kind: 'instance' | 'editor' | 'personal' | 'statistics'
  hash: string
  refresh_hash: string | null
  user_id: string | null
  instance_id: string | null
  team_id: string | null
  scopes: string
  /** The person's rights as given to the editor: `*`, `read` or `http`. */
  grant_scope: string | null
  expires_at: number | null
  created_at: number
  /** For personal tokens: their owner's name for them, and the time of the last use, to a minute. */
  name: string | null
  last_used_at: number | null
  /** For editor tokens: the address from which the person opened the editor. */
  address: string | null
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
      'token.name as token_name',
      'user.username',
      'user.name',
      'user.admin',
      'user.suspended',
      'user.email_verified',
      'user.proof_waived',
      'user.password_expired',
      'user.sso_enabled',
      'user.second_factor',
      secondFactorRequired,
    ])
    .where('token.hash', '=', hash)
    .executeTakeFirst()
}

export async function findRefreshToken(db: Db, hash: string): Promise<TokenRow | undefined> {
  return db.selectFrom('tokens').selectAll().where('refresh_hash', '=', hash).executeTakeFirst()
}

/** Not one that only opens what flows serve. */
export async function findEditorToken(db: Db, instanceId: string, username: string): Promise<TokenRow | undefined> {
  return db
    .selectFrom('tokens as token')
    .innerJoin('users as user', 'user.id', 'token.user_id')
    .selectAll('token')
    .where('token.kind', '=', 'editor')
    .where('token.instance_id', '=', instanceId)
    .where('token.grant_scope', '!=', 'http')
    .where('user.username', '=', username)
    .orderBy('token.id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** True when it was there: a refresh token counts once. */
export async function deleteToken(tx: Tx, id: string): Promise<boolean> {
  return (await tx.deleteFrom('tokens').where('id', '=', id).executeTakeFirst()).numDeletedRows === 1n
}

/** Without `kind`: of every kind. */
export async function deleteTokensOfInstance(tx: Tx, instanceId: string, kind?: TokenRow['kind']): Promise<void> {
  const all = tx.deleteFrom('tokens').where('instance_id', '=', instanceId)
  await (kind === undefined ? all : all.where('kind', '=', kind)).execute()
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

/** Deletes the tokens of these people for the editor of one instance. Returns whose they were. */
export async function deleteEditorTokensFor(tx: Tx, userIds: readonly string[], instanceId: string): Promise<string[]> {
  const rows = await tx
    .deleteFrom('tokens')
    .where('user_id', 'in', userIds)
    .where('kind', '=', 'editor')
    .where('instance_id', '=', instanceId)
    .returning('user_id')
    .execute()
  return rows.flatMap((row) => row.user_id ?? [])
}

/** Every token of a user, of whatever kind. */
export async function deleteTokensOf(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('tokens').where('user_id', '=', userId).execute()
}

/** The personal tokens of a user, newest first, whether expired or not. */
export async function listPersonalTokens(db: Db, userId: string): Promise<TokenRow[]> {
  return db
    .selectFrom('tokens')
    .selectAll()
    .where('user_id', '=', userId)
    .where('kind', '=', 'personal')
    .orderBy('id', 'desc')
    .execute()
}

/** Deletes the token and returns it, or undefined when it is not theirs. */
export async function deletePersonalToken(tx: Tx, userId: string, id: string): Promise<TokenRow | undefined> {
  return tx
    .deleteFrom('tokens')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .where('kind', '=', 'personal')
    .returningAll()
    .executeTakeFirst()
}

export async function touchToken(db: Db, id: string, now: number): Promise<void> {
  await db.updateTable('tokens').set({ last_used_at: now }).where('id', '=', id).execute()
}

/** From where this person opened the editor of an instance last; undefined when they have not. */
export async function findEditorAddress(db: Db, userId: string, instanceId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('tokens')
    .select('address')
    .where('user_id', '=', userId)
    .where('instance_id', '=', instanceId)
    .where('kind', '=', 'editor')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.address ?? undefined
}

/** Forgets the editor tokens that expired before a time. Returns how many, at most `atMost`. */
export async function deleteEditorTokensExpiredBefore(db: Db, time: number, atMost: number): Promise<number> {
  const ended = db.selectFrom('tokens').select('id').where('kind', '=', 'editor').where('expires_at', '<=', time)
  const result = await db.deleteFrom('tokens').where('id', 'in', ended.limit(atMost)).executeTakeFirst()
  return Number(result.numDeletedRows)
}

export async function deleteTokensOfKind(tx: Tx, kind: TokenRow['kind']): Promise<number> {
  return Number((await tx.deleteFrom('tokens').where('kind', '=', kind).executeTakeFirst()).numDeletedRows)
}
