import { prepared } from '../../platform/db/prepared.ts'
import type { Db, Tx } from '../../platform/db/tables.ts'

/** The purpose of a link; `handed-reset` was given out by an administrator, the others were mailed. */
export type LinkPurpose = 'verify' | 'email' | 'reset' | 'handed-reset'

export interface LinkRow {
  id: string
  user_id: string
  purpose: LinkPurpose
  hash: string
  /** The address it was made for. */
  email: string
  created_at: number
  expires_at: number
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    account_links: LinkRow
  }
}

/** Replaces a former link of the same purpose, which stops working. */
export async function putLink(tx: Tx, row: LinkRow): Promise<void> {
  const { user_id: _user, purpose: _purpose, ...change } = row
  await tx
    .insertInto('account_links')
    .values(row)
    .onConflict((conflict) => conflict.columns(['user_id', 'purpose']).doUpdateSet(change))
    .execute()
}

export async function findLink(db: Db, hash: string, now: number): Promise<LinkRow | undefined> {
  return db
    .selectFrom('account_links')
    .selectAll()
    .where('hash', '=', hash)
    .where('expires_at', '>', now)
    .executeTakeFirst()
}

const linkOf = prepared((db, { userId, purpose, now }: { userId: string; purpose: LinkPurpose; now: number }) =>
  db
    .selectFrom('account_links')
    .selectAll()
    .where('user_id', '=', userId)
    .where('purpose', '=', purpose)
    .where('expires_at', '>', now),
)

const withAddress = prepared((db, { userId, now }: { userId: string; now: number }) =>
  db
    .selectFrom('users as user')
    .leftJoin('account_links as link', (join) =>
      join.onRef('link.user_id', '=', 'user.id').on('link.purpose', '=', 'email').on('link.expires_at', '>', now),
    )
    .selectAll('user')
    .select('link.email as pending_email')
    .where('user.id', '=', userId),
)

/** A user with the address that waits to become theirs. One query, made whenever a page opens. */
export async function findWithAddress(db: Db, userId: string, now: number) {
  return (await withAddress(db, { userId, now }))[0]
}

export async function findLinkOf(
  db: Db,
  userId: string,
  purpose: LinkPurpose,
  now: number,
): Promise<LinkRow | undefined> {
  return (await linkOf(db, { userId, purpose, now }))[0]
}

/** Uses a link up; false when somebody was faster. */
export async function deleteLink(tx: Tx, id: string): Promise<boolean> {
  return (await tx.deleteFrom('account_links').where('id', '=', id).executeTakeFirst()).numDeletedRows === 1n
}

/** Takes back the links of a person: all of them, or those of some purposes. */
export async function deleteLinksOf(tx: Tx, userId: string, purposes?: readonly LinkPurpose[]): Promise<void> {
  const all = tx.deleteFrom('account_links').where('user_id', '=', userId)
  await (purposes ? all.where('purpose', 'in', purposes) : all).execute()
}

/** Forgets links that nobody can follow any more. Returns how many, at most `atMost`. */
export async function deleteEndedLinks(db: Db, now: number, atMost: number): Promise<number> {
  const ended = db.selectFrom('account_links').select('id').where('expires_at', '<=', now).limit(atMost)
  return Number((await db.deleteFrom('account_links').where('id', 'in', ended).executeTakeFirst()).numDeletedRows)
}
