import type { Db, Flag, Tx } from '../../platform/db/tables.ts'

export interface UserRow {
  id: string
  username: string
  /** Lower case; user names and addresses are unique regardless of case. */
  username_key: string
  name: string
  email: string
  email_key: string
  password_hash: string
  admin: Flag
  email_verified: Flag
  suspended: Flag
  password_expired: Flag
  tcs_accepted_at: number | null
  default_team_id: string | null
  created_at: number
  updated_at: number
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    users: UserRow
  }
}

export async function insertUser(tx: Tx, row: UserRow): Promise<void> {
  await tx.insertInto('users').values(row).execute()
}

export async function findUser(db: Db, id: string): Promise<UserRow | undefined> {
  return db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst()
}

/** The user as of now, whom nobody else changes until the transaction ends. */
export async function lockUser(tx: Tx, id: string, postgres: boolean): Promise<UserRow | undefined> {
  const user = tx.selectFrom('users').selectAll().where('id', '=', id)
  return (postgres ? user.forUpdate() : user).executeTakeFirst()
}

/** By user name or e-mail address, in any case. */
export async function findUserByLogin(db: Db, login: string): Promise<UserRow | undefined> {
  const key = login.toLowerCase()
  return db
    .selectFrom('users')
    .selectAll()
    .where((where) => where.or([where('username_key', '=', key), where('email_key', '=', key)]))
    .executeTakeFirst()
}

export async function updateUser(tx: Tx, id: string, change: Partial<UserRow>): Promise<void> {
  await tx.updateTable('users').set(change).where('id', '=', id).execute()
}

export async function hasAnyUser(db: Db): Promise<boolean> {
  return (await db.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined
}
