import { prepared } from '../../platform/db/prepared.ts'
import type { Db, Flag, Tx } from '../../platform/db/tables.ts'
import { secondFactorRequired } from '../settings/index.ts'
import type { UserRow } from './account.store.ts'

export interface SessionRow {
  id: string
  user_id: string
  token_hash: string
  address: string
  user_agent: string
  created_at: number
  last_seen_at: number
  expires_at: number
  /** When whoever has it last showed who they are: at the sign-in, or since. */
  proven_at: number
  /** A provider signed them in, so that it does not matter whether their password has expired. */
  by_provider: Flag
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    sessions: SessionRow
  }
}

export type SessionUser = SessionRow &
  Pick<
    UserRow,
    'username' | 'name' | 'admin' | 'email_verified' | 'proof_waived' | 'password_expired' | 'second_factor'
  > & {
    second_factor_required: boolean | Flag
  }

export async function insertSession(tx: Tx, row: SessionRow): Promise<void> {
  await tx.insertInto('sessions').values(row).execute()
}

const sessionOf = prepared((db, { tokenHash }: { tokenHash: string }) =>
  db
    .selectFrom('sessions as session')
    .innerJoin('users as user', 'user.id', 'session.user_id')
    .selectAll('session')
    .select(['user.username', 'user.name', 'user.admin', 'user.email_verified', 'user.password_expired'])
    .select(['user.proof_waived', 'user.second_factor', secondFactorRequired])
    .where('session.token_hash', '=', tokenHash)
    .where('user.suspended', '=', 0),
)

/** The session behind a token with its user, unless the user is suspended. One query, made on every request. */
export async function findSession(db: Db, tokenHash: string): Promise<SessionUser | undefined> {
  return (await sessionOf(db, { tokenHash }))[0]
}

/** When a session was last proven; undefined when it is over. */
export async function provenAt(db: Db, id: string): Promise<number | undefined> {
  return (await db.selectFrom('sessions').select('proven_at').where('id', '=', id).executeTakeFirst())?.proven_at
}

export async function markProven(db: Db, id: string, now: number): Promise<void> {
  await db.updateTable('sessions').set({ proven_at: now }).where('id', '=', id).execute()
}

export async function touchSession(db: Db, id: string, now: number): Promise<void> {
  await db.updateTable('sessions').set({ last_seen_at: now }).where('id', '=', id).execute()
}

export async function listSessions(db: Db, userId: string, now: number, idleSince: number): Promise<SessionRow[]> {
  return db
    .selectFrom('sessions')
    .selectAll()
    .where('user_id', '=', userId)
    .where('expires_at', '>', now)
    .where('last_seen_at', '>', idleSince)
    .orderBy('id', 'desc')
    .execute()
}

/** Ends one session of a user; false when it is not theirs. */
export async function deleteSession(tx: Tx, userId: string, id: string): Promise<boolean> {
  const result = await tx.deleteFrom('sessions').where('id', '=', id).where('user_id', '=', userId).executeTakeFirst()
  return result.numDeletedRows === 1n
}

export async function deleteSessions(tx: Tx, userId: string, except?: string): Promise<void> {
  const all = tx.deleteFrom('sessions').where('user_id', '=', userId)
  await (except ? all.where('id', '!=', except) : all).execute()
}

export async function hasOtherSessions(db: Db, userId: string, current: string): Promise<boolean> {
  const other = db.selectFrom('sessions').select('id').where('user_id', '=', userId).where('id', '!=', current).limit(1)
  return (await other.executeTakeFirst()) !== undefined
}

/** Which of these sessions are not over and were used since `idleSince`. */
export async function listLiveSessions(
  db: Db,
  ids: readonly string[],
  now: number,
  idleSince: number,
): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const live = await db
    .selectFrom('sessions')
    .select('id')
    .where('id', 'in', ids)
    .where('expires_at', '>', now)
    .where('last_seen_at', '>', idleSince)
    .execute()
  return new Set(live.map(({ id }) => id))
}

/** Forgets sessions that are over or were not used for too long. Returns how many, at most `atMost`. */
export async function deleteEndedSessions(db: Db, now: number, idleSince: number, atMost: number): Promise<number> {
  const ended = db
    .selectFrom('sessions')
    .select('id')
    .where((where) => where.or([where('expires_at', '<=', now), where('last_seen_at', '<=', idleSince)]))
    .limit(atMost)
  return Number((await db.deleteFrom('sessions').where('id', 'in', ended).executeTakeFirst()).numDeletedRows)
}
