import { fail } from '../../platform/http/failure.ts'
import type { Tx } from '../../platform/db/tables.ts'
import { lockAdministrators, type UserRow } from './account.store.ts'

/**
 * Refuses what would leave the platform without an administrator who can sign in by a password of this platform: when a
 * provider of single sign-on is gone, nobody else gets in. Holds until the transaction ends.
 * @throws Failure unexpected_error 400.
 */
export async function keepAdministrator(tx: Tx, user: Pick<UserRow, 'id' | 'admin'>, postgres: boolean): Promise<void> {
  if (!user.admin) return
  const all = await lockAdministrators(tx, postgres)
  const others = all.filter(({ id }) => id !== user.id)
  const refused = { status: 400 }
  if (others.length === 0)
    throw fail('unexpected_error', 'The last administrator must stay an admin: make somebody else one first', refused)
  const hasPassword = all.some(({ id, local_password }) => id === user.id && local_password === 1)
  if (hasPassword && others.every(({ local_password }) => local_password === 0))
    throw fail(
      'unexpected_error',
      'The last administrator with a password must stay an admin: let another one choose a password first',
      refused,
    )
}
