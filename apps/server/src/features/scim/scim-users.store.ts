import { sql } from 'kysely'
import type { Db, Flag, Tx } from '../../platform/db/tables.ts'
import { loginKey, type UserRow } from '../account/index.ts'
import { asKey, asText, conditionOf, type FilterColumns } from './filter.sql.ts'
import type { Filter } from './filter.parser.ts'

export interface ScimUserRow {
  user_id: string
  directory: string
  user_name: string
  user_name_key: string
  external_id: string | null
  display_name_key: string
  /** The attributes that the directory sent, as JSON; without passwords. */
  resource: string
  /** The directory suspended the account, and may lift that; a suspension by an administrator stays. */
  suspended: Flag
  /** When the directory deleted it; its calls do not see it from then on. */
  removed_at: number | null
  created_at: number
  updated_at: number
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    scim_users: ScimUserRow
  }
}

/** A provisioned account with what the platform itself knows of it. */
export type Provisioned = ScimUserRow & Pick<UserRow, 'username' | 'name' | 'email'> & { account_suspended: Flag }

const email = { column: sql`account.email_key`, store: asKey }
const columns: FilterColumns = {
  id: { column: sql`scim.user_id`, store: asText },
  username: { column: sql`scim.user_name_key`, store: asKey },
  externalid: { column: sql`scim.external_id`, store: asText },
  displayname: { column: sql`scim.display_name_key`, store: asKey },
  emails: email,
  'emails.value': email,
  // Each account has one address, which is the one for work.
  'emails.type': { column: sql`'work'`, store: asKey },
  'emails.primary': { column: sql`1`, store: (value) => (typeof value === 'boolean' ? Number(value) : undefined) },
  active: {
    column: sql`1 - account.suspended`,
    store: (value) => (/^(true|false)$/i.test(String(value)) ? Number(/^true$/i.test(String(value))) : undefined),
  },
}

const provisioned = (db: Db) =>
  db
    .selectFrom('scim_users as scim')
    .innerJoin('users as account', 'account.id', 'scim.user_id')
    .selectAll('scim')
    .select(['account.username', 'account.name', 'account.email', 'account.suspended as account_suspended'])

export async function findProvisioned(db: Db, directory: string, id: string): Promise<Provisioned | undefined> {
  return provisioned(db)
    .where('scim.user_id', '=', id)
    .where('scim.directory', '=', directory)
    .where('scim.removed_at', 'is', null)
    .executeTakeFirst()
}

export interface ListPortion {
  directory: string
  filter: Filter | undefined
  offset: number
  limit: number
}

/**
 * A portion of the accounts of a directory, oldest first, and how many there are. By position and not by a key: SCIM
 * asks so.
 */
export async function listProvisioned(db: Db, { directory, filter, offset, limit }: ListPortion) {
  let rows = provisioned(db).where('scim.directory', '=', directory).where('scim.removed_at', 'is', null)
  let count = db
    .selectFrom('scim_users as scim')
    .innerJoin('users as account', 'account.id', 'scim.user_id')
    .select((one) => one.fn.countAll<number>().as('n'))
    .where('scim.directory', '=', directory)
    .where('scim.removed_at', 'is', null)
  if (filter) {
    const condition = conditionOf(filter, columns)
    rows = rows.where(condition)
    count = count.where(condition)
  }
  const { n } = await count.executeTakeFirstOrThrow()
  if (limit === 0) return { rows: [], count: Number(n) }
  return { rows: await rows.orderBy('scim.user_id').offset(offset).limit(limit).execute(), count: Number(n) }
}

/** The row of somebody whom the directory names so, or deleted under the address; its account with it. */
export async function findByNames(db: Db, directory: string, names: { userName: string; email: string }) {
  return db
    .selectFrom('users as account')
    .leftJoin('scim_users as scim', 'scim.user_id', 'account.id')
    .select(['account.id', 'account.admin', 'account.email', 'account.email_verified', 'account.email_key'])
    .select(['account.suspended as account_suspended', 'scim.suspended', 'scim.directory', 'scim.removed_at'])
    .select('scim.user_name_key')
    .where((where) =>
      where.or([
        where('account.email_key', '=', loginKey(names.email)),
        where.and([
          where('scim.directory', '=', directory),
          where('scim.user_name_key', '=', loginKey(names.userName)),
        ]),
      ]),
    )
    .execute()
}

/** An account that has the address or the name of somebody whom a directory creates. */
export type Found = Awaited<ReturnType<typeof findByNames>>[number]

export async function putProvisioned(tx: Tx, row: ScimUserRow): Promise<void> {
  const { user_id: _id, created_at: _created, ...change } = row
  await tx
    .insertInto('scim_users')
    .values(row)
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(change))
    .execute()
}

export async function changeProvisioned(tx: Tx, id: string, change: Partial<ScimUserRow>): Promise<void> {
  await tx.updateTable('scim_users').set(change).where('user_id', '=', id).execute()
}

/** An administrator suspends the account or lifts that: no directory lifts it from then on. */
export async function suspendedByHand(tx: Tx, id: string): Promise<void> {
  await changeProvisioned(tx, id, { suspended: 0 })
}
