import type { Db, Flag, Tx } from '../../platform/db/tables.ts'

export interface ScimTokenRow {
  id: string
  name: string
  directory: string
  token_hash: string
  /** May take over accounts that exist. */
  adopts: Flag
  created_at: number
  expires_at: number | null
  /** The provider for whose domain the directory speaks. */
  provider_id: string | null
  last_used_at: number | null
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    scim_tokens: ScimTokenRow
  }
}

/** A token with the provider for which it speaks. */
export type BoundToken = ScimTokenRow & { provider_name: string | null; provider_domain: string | null }

const bound = (db: Db) =>
  db
    .selectFrom('scim_tokens as token')
    .leftJoin('sso_providers as provider', (join) =>
      join.onRef('provider.id', '=', 'token.provider_id').on('provider.deleted_at', 'is', null),
    )
    .selectAll('token')
    .select(['provider.name as provider_name', 'provider.domain_filter as provider_domain'])

export async function insertScimToken(tx: Tx, row: ScimTokenRow): Promise<void> {
  await tx.insertInto('scim_tokens').values(row).execute()
}

export async function findScimToken(db: Db, hash: string): Promise<BoundToken | undefined> {
  return bound(db).where('token.token_hash', '=', hash).executeTakeFirst()
}

/** Newest first. */
export async function listScimTokens(db: Db): Promise<BoundToken[]> {
  return bound(db).orderBy('token.id', 'desc').execute()
}

/** Deletes a token and returns it; undefined when there is none. */
export async function deleteScimToken(tx: Tx, id: string): Promise<ScimTokenRow | undefined> {
  return tx.deleteFrom('scim_tokens').where('id', '=', id).returningAll().executeTakeFirst()
}

export async function touchScimToken(db: Db, id: string, now: number): Promise<void> {
  await db.updateTable('scim_tokens').set({ last_used_at: now }).where('id', '=', id).execute()
}

/** The providers whose people a directory provisions. */
export async function providersOf(db: Db, directory: string): Promise<string[]> {
  const rows = await db
    .selectFrom('scim_tokens')
    .select('provider_id')
    .distinct()
    .where('directory', '=', directory)
    .where('provider_id', 'is not', null)
    .execute()
  return rows.map(({ provider_id }) => provider_id!)
}
