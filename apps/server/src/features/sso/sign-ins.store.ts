import type { ssoResults, SsoReason } from '@app/contract'
import type { Db, Flag, Tx } from '../../platform/db/tables.ts'

export interface SignInRow {
  id: string
  provider_id: string
  created_at: number
  result: (typeof ssoResults)[number]
  reason: SsoReason | null
  /** The words of the library or of the provider. */
  detail: string | null
  subject: string | null
  email: string | null
  user_id: string | null
  /** The account was made at this sign-in. */
  created: Flag
  address: string
  /** The attributes that the provider sent, as JSON, without assertions and secrets. */
  sent: string
  /** The effects of the rules for groups, as a JSON list of sentences. */
  applied: string
  /** The groups that the provider named, as a JSON list; null: it said nothing of groups. */
  group_names: string | null
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    sso_sign_ins: SignInRow
  }
}

/** So many sign-ins are kept of each provider, and as many changes by its directory. */
const signInsKept = 100

/** Keeps a sign-in, and forgets the oldest of its provider beyond the last hundred. A large group pushes none out. */
export async function insertSignIn(tx: Tx, row: SignInRow): Promise<void> {
  await tx.insertInto('sso_sign_ins').values(row).execute()
  const comparison = row.result === 'directory' ? '=' : '<>'
  const kept = await tx
    .selectFrom('sso_sign_ins')
    .select('id')
    .where('provider_id', '=', row.provider_id)
    .where('result', comparison, 'directory')
    .orderBy('id', 'desc')
    .offset(signInsKept - 1)
    .limit(1)
    .executeTakeFirst()
  if (!kept) return
  await tx
    .deleteFrom('sso_sign_ins')
    .where('provider_id', '=', row.provider_id)
    .where('result', comparison, 'directory')
    .where('id', '<', kept.id)
    .execute()
}

export async function listSignIns(db: Db, providerId: string) {
  return db
    .selectFrom('sso_sign_ins as one')
    .leftJoin('users as user', 'user.id', 'one.user_id')
    .selectAll('one')
    .select('user.username')
    .where('one.provider_id', '=', providerId)
    .orderBy('one.id', 'desc')
    .limit(2 * signInsKept)
    .execute()
}

/** One kept sign-in of a provider, and whether its person is an administrator now. */
export async function findSignIn(db: Db, providerId: string, id: string) {
  return db
    .selectFrom('sso_sign_ins as one')
    .leftJoin('users as user', 'user.id', 'one.user_id')
    .select(['one.id', 'one.user_id', 'one.group_names', 'user.admin'])
    .where('one.provider_id', '=', providerId)
    .where('one.id', '=', id)
    .executeTakeFirst()
}
