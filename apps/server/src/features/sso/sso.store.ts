import type { SsoType } from '@app/contract'
import { sql } from 'kysely'
import type { ChangeOf } from '../../platform/db/columns.ts'
import { contains } from '../../platform/db/like.ts'
import type { Portion } from '../../platform/db/page.ts'
import type { Db, Flag, Tx } from '../../platform/db/tables.ts'

export interface ProviderRow {
  id: string
  name: string
  type: SsoType
  /** `@example.com`, lower case; null: people choose the provider themselves. */
  domain_filter: string | null
  active: Flag
  /** `SsoOptions` as JSON, without those that are secret. */
  options: string
  /** A flat object as JSON whose values are sealed. */
  secrets: string
  created_at: number
  updated_at: number
  /** Deleted, while the roles that its rules gave are taken back; only that work finds it. */
  deleted_at: number | null
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    sso_providers: ProviderRow
  }
}

export async function insertProvider(tx: Tx, row: ProviderRow): Promise<void> {
  await tx.insertInto('sso_providers').values(row).execute()
}

export async function findProvider(db: Db, id: string): Promise<ProviderRow | undefined> {
  return withId(db, id).where('deleted_at', 'is', null).executeTakeFirst()
}

export async function findDeletedProvider(db: Db, id: string): Promise<ProviderRow | undefined> {
  return withId(db, id).where('deleted_at', 'is not', null).executeTakeFirst()
}

const withId = (db: Db, id: string) => db.selectFrom('sso_providers').selectAll().where('id', '=', id)

/** The provider as of now, which nobody else changes until the transaction ends. */
export async function lockProvider(tx: Tx, id: string, postgres: boolean): Promise<ProviderRow | undefined> {
  const row = withId(tx, id).where('deleted_at', 'is', null)
  return (postgres ? row.forUpdate() : row).executeTakeFirst()
}

/** The active provider whose people have addresses of this domain, which begins with `@`. */
export async function findProviderOfDomain(db: Db, domain: string): Promise<ProviderRow | undefined> {
  return db
    .selectFrom('sso_providers')
    .selectAll()
    .where('domain_filter', '=', domain)
    .where('active', '=', 1)
    .executeTakeFirst()
}

/** All active providers, oldest first. There are few. */
export async function listActiveProviders(db: Db): Promise<ProviderRow[]> {
  return db.selectFrom('sso_providers').selectAll().where('active', '=', 1).orderBy('id').execute()
}

/** Ids and names of the active providers of OpenID Connect. */
export async function listChoices(db: Db): Promise<Pick<ProviderRow, 'id' | 'name'>[]> {
  return db
    .selectFrom('sso_providers')
    .select(['id', 'name'])
    .where('active', '=', 1)
    .where('type', '=', 'oidc')
    .execute()
}

export async function listProviders(db: Db, { cursor, limit, text }: Portion & { text: string }) {
  const matching = db
    .selectFrom('sso_providers')
    .where('deleted_at', 'is', null)
    .$if(text !== '', (query) =>
      query.where((where) =>
        where.or([contains(sql`lower(name)`, text), contains(sql`coalesce(domain_filter, '')`, text)]),
      ),
    )
  const rows = await matching
    .selectAll()
    .$if(cursor !== undefined, (query) => query.where('id', '>', cursor!))
    .orderBy('id')
    .limit(limit)
    .execute()
  const { count } = await matching
    .select((select) => select.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return { rows, count: Number(count) }
}

/** Somebody else's provider that has this domain. */
export async function isDomainTaken(db: Db, domain: string, exceptId = ''): Promise<boolean> {
  const row = await db
    .selectFrom('sso_providers')
    .select('id')
    .where('domain_filter', '=', domain)
    .where('id', '!=', exceptId)
    .executeTakeFirst()
  return row !== undefined
}

export async function updateProvider<Change extends Partial<ProviderRow>>(
  tx: Tx,
  id: string,
  change: ChangeOf<ProviderRow, Change>,
): Promise<void> {
  await tx.updateTable('sso_providers').set(change).where('id', '=', id).execute()
}

export async function deleteProvider(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('sso_providers').where('id', '=', id).execute()
}
