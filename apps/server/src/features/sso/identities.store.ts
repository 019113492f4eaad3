import type { Db, Tx } from '../../platform/db/tables.ts'

export interface IdentityRow {
  provider_id: string
  /** The name by which the provider knows the person, and which never changes. */
  subject: string
  user_id: string
  created_at: number
  last_sign_in_at: number
}

/** A sign-in that waits for the password of the account it is about to link. */
export interface LinkRow {
  token_hash: string
  provider_id: string
  subject: string
  user_id: string
  return_to: string
  expires_at: number
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    sso_identities: IdentityRow
    sso_links: LinkRow
  }
}

export async function findIdentity(db: Db, providerId: string, subject: string): Promise<IdentityRow | undefined> {
  return db
    .selectFrom('sso_identities')
    .selectAll()
    .where('provider_id', '=', providerId)
    .where('subject', '=', subject)
    .executeTakeFirst()
}

/** The identity of a user at this provider, whatever its subject. */
export async function findIdentityOf(db: Db, providerId: string, userId: string): Promise<IdentityRow | undefined> {
  return db
    .selectFrom('sso_identities')
    .selectAll()
    .where('provider_id', '=', providerId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
}

/** Finds which of these users are linked at one of these providers. */
export async function linkedAmong(db: Db, providerIds: readonly string[], userIds: readonly string[]) {
  const rows = await db
    .selectFrom('sso_identities')
    .select('user_id')
    .where('provider_id', 'in', providerIds)
    .where('user_id', 'in', userIds)
    .execute()
  return new Set(rows.map((row) => row.user_id))
}

/** Keeps that this person signed in, linking them if they were not. */
export async function keepIdentity(tx: Tx, row: IdentityRow): Promise<void> {
  await tx
    .insertInto('sso_identities')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['provider_id', 'subject']).doUpdateSet({ last_sign_in_at: row.last_sign_in_at }),
    )
    .execute()
}

export async function insertLink(tx: Tx, row: LinkRow): Promise<void> {
  await tx.insertInto('sso_links').values(row).execute()
}

export async function findLink(db: Db, tokenHash: string, now: number): Promise<LinkRow | undefined> {
  return db
    .selectFrom('sso_links')
    .selectAll()
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', now)
    .executeTakeFirst()
}

/** Uses a waiting link up; false when somebody else did. */
export async function deleteLink(tx: Tx, tokenHash: string): Promise<boolean> {
  return (await tx.deleteFrom('sso_links').where('token_hash', '=', tokenHash).executeTakeFirst()).numDeletedRows === 1n
}
