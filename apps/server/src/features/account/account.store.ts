import type { RawBuilder } from 'kysely'
import type { ChangeOf } from '../../platform/db/columns.ts'
import { prepared } from '../../platform/db/prepared.ts'
import type { Db, Flag, Tx } from '../../platform/db/tables.ts'
import { addWords, replaceWords, type WordIndex } from '../../platform/db/words.ts'

export interface UserRow {
  id: string
  username: string
  /** Lower case; user names and addresses are unique regardless of case. */
  username_key: string
  name: string
  email: string
  email_key: string
  password_hash: string
  /** Somebody knows the password: it was not made up for an account that signs in elsewhere. */
  local_password: Flag
  admin: Flag
  email_verified: Flag
  /** The account is open although nobody proved the address: it was made by a copied link where no mail can be sent. */
  proof_waived: Flag
  suspended: Flag
  password_expired: Flag
  /** Has an authenticator app or a passkey. */
  second_factor: Flag
  /** Signs in through a provider of single sign-on, or signed up to do so. */
  sso_enabled: Flag
  tcs_accepted_at: number | null
  default_team_id: string | null
  created_at: number
  updated_at: number
}

/** The columns that other features read of many users at once. */
export const personColumns = [
  'id',
  'username',
  'username_key',
  'name',
  'email',
  'email_key',
  'admin',
  'email_verified',
  'proof_waived',
  'suspended',
  'password_expired',
  'second_factor',
  'sso_enabled',
  'tcs_accepted_at',
  'default_team_id',
  'created_at',
] as const satisfies (keyof UserRow)[]
export type PersonRow = Pick<UserRow, (typeof personColumns)[number]>
/** The same where the table is joined as `user`. */
export const joinedPerson = personColumns.map((column) => `user.${column}` as const)

/** Must this user prove the address before they may do anything else? */
export const lacksProof = (row: Record<'email_verified' | 'proof_waived', Flag | null>): boolean =>
  row.email_verified === 0 && row.proof_waived === 0

declare module '../../platform/db/tables.ts' {
  interface Tables {
    users: UserRow
    user_words: { user_id: string; word: string }
  }
}

/** The words by which users are found: those of their user name, name and address. */
export const userWords: WordIndex = { table: 'user_words', id: 'user_id' }

export async function insertUser(tx: Tx, row: UserRow): Promise<void> {
  await tx.insertInto('users').values(row).execute()
  await addWords(tx, userWords, row.id, [row.username, row.name, row.email])
}

const userOf = prepared((db, { id }: { id: string }) => db.selectFrom('users').selectAll().where('id', '=', id))

export async function findUser(db: Db, id: string): Promise<UserRow | undefined> {
  return (await userOf(db, { id }))[0]
}
export async function listUsersById(db: Db, ids: readonly string[]): Promise<UserRow[]> {
  return ids.length === 0 ? [] : db.selectFrom('users').selectAll().where('id', 'in', ids).execute()
}

/** The user as of now, whom nobody else changes until the transaction ends. */
export async function lockUser(tx: Tx, id: string, postgres: boolean): Promise<UserRow | undefined> {
  const user = tx.selectFrom('users').selectAll().where('id', '=', id)
  return (postgres ? user.forUpdate() : user).executeTakeFirst()
}

/**
 * The form by which two user names or two addresses are the same: case does not count, nor do the wide, circled and
 * otherwise decorated forms of letters, which look alike.
 */
export function loginKey(text: string): string {
  return text.normalize('NFKC').toLowerCase()
}

/** By user name or e-mail address, in any case. */
export async function findUserByLogin(db: Db, login: string): Promise<UserRow | undefined> {
  const key = loginKey(login)
  return db
    .selectFrom('users')
    .selectAll()
    .where((where) => where.or([where('username_key', '=', key), where('email_key', '=', key)]))
    .executeTakeFirst()
}

export async function findUserByEmail(db: Db, email: string): Promise<UserRow | undefined> {
  return db.selectFrom('users').selectAll().where('email_key', '=', loginKey(email)).executeTakeFirst()
}

/** Which of the two somebody (other than `exceptId`) has already. */
export async function takenBy(
  db: Db,
  { username, email }: { username?: string; email?: string },
  exceptId = '',
): Promise<'username' | 'email' | undefined> {
  if (!username && !email) return undefined
  const [name, address] = [loginKey(username ?? ''), loginKey(email ?? '')]
  const rows = await db
    .selectFrom('users')
    .select(['username_key'])
    .where((where) => where.or([where('username_key', '=', name), where('email_key', '=', address)]))
    .where('id', '!=', exceptId)
    .execute()
  if (rows.length === 0) return undefined
  return rows.some((row) => row.username_key === name) ? 'username' : 'email'
}

/** The first of these user names that nobody has. */
export async function firstFreeUsername(db: Db, names: readonly string[]): Promise<string | undefined> {
  const keys = names.map(loginKey)
  const rows = await db.selectFrom('users').select('username_key').where('username_key', 'in', keys).execute()
  const taken = new Set(rows.map((row) => row.username_key))
  return names.find((name) => !taken.has(loginKey(name)))
}

export async function deleteUser(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('users').where('id', '=', id).execute()
}

/** The administrators who can sign in, held until the transaction ends: of two who leave at once one is last. */
export async function lockAdministrators(tx: Tx, postgres: boolean): Promise<Pick<UserRow, 'id' | 'local_password'>[]> {
  const rows = tx
    .selectFrom('users')
    .select(['id', 'local_password'])
    .where('admin', '=', 1)
    .where('suspended', '=', 0)
    .orderBy('id')
  return (postgres ? rows.forUpdate() : rows).execute()
}

export async function updateUser<Change extends Partial<UserRow>>(
  tx: Tx,
  id: string,
  change: ChangeOf<UserRow, Change>,
): Promise<void> {
  const user = await tx
    .updateTable('users')
    .set(change)
    .where('id', '=', id)
    .returning(['username', 'name', 'email'])
    .executeTakeFirst()
  const renamed = change.username !== undefined || change.name !== undefined || change.email !== undefined
  if (renamed && user) await replaceWords(tx, userWords, id, [user.username, user.name, user.email])
}

export async function hasAnyUser(db: Db): Promise<boolean> {
  return (await db.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined
}

/** Nobody's default team is this one any more; with `userId`, not that person's. */
export async function forgetDefaultTeam(tx: Tx, teamId: string, userId?: string): Promise<void> {
  const all = tx.updateTable('users').set({ default_team_id: null }).where('default_team_id', '=', teamId)
  await (userId === undefined ? all : all.where('id', '=', userId)).execute()
}

/** Keeps with a user whether they have a second factor, so that a request need not ask; `has` in SQL, of `users.id`. */
export async function keepFactor(tx: Tx, userId: string, has: RawBuilder<Flag>) {
  return tx
    .updateTable('users')
    .set({ second_factor: has })
    .where('id', '=', userId)
    .returning(['email', 'name', 'second_factor'])
    .executeTakeFirstOrThrow()
}
