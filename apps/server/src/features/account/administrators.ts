import { fail } from '../../platform/http/failure.ts'
import type { Tx } from '../../platform/db/tables.ts'
import { lockAdministrators, type UserRow } from './account.store.ts'

/**
 * Refuses what would leave the platform without an administrator who can sign in. Holds until the transaction ends.
 * @throws Failure unexpected_error 400.
 */
export async function keepAdministrator(tx: Tx, user: Pick<UserRow, 'id' | 'admin'>, postgres: boolean): Promise<void> {
  if (!user.admin) return
  const all = await lockAdministrators(tx, postgres)
  if (all.every(({ id }) => id === user.id))
    throw fail('unexpected_error', 'The last administrator must stay an admin: make somebody else one first', {
      status: 400,
    })
}
