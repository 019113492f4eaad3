import { userInfo } from 'node:os'
import type { AuditKey, BodyFor } from '@app/contract'
import type { Kysely } from 'kysely'
import {
  createLinks,
  createSessions,
  findUserByLogin,
  updateUser,
  userRef,
  type UserRow,
} from '../features/account/index.ts'
import { createAudit } from '../features/audit/index.ts'
import { suspendedByHand } from '../features/scim/index.ts'
import { forgetFactors } from '../features/second-factor/index.ts'
import { createTokens } from '../features/tokens/index.ts'
import { type Clock, iso } from '../platform/clock.ts'
import type { Signer } from '../platform/crypto.ts'
import type { Database } from '../platform/db/database.ts'
import { listMigrations } from '../platform/db/migrate.ts'
import type { Tx } from '../platform/db/tables.ts'
import { createBus } from '../platform/events/bus.ts'

/** A request that cannot be fulfilled. The message is for people. */
export class CommandError extends Error {
  override name = 'CommandError'
}

/** The audit log says that it was done from the shell of the machine, and by which of its users. */
export const shell = () => ({
  trigger_id: null,
  trigger_type: 'system' as const,
  trigger_name: `Shell of the server (${userInfo().username})`,
  username: null,
  address: '',
})

/** Helps administrators who are locked out, while the server runs or not. Every verb returns what to tell the person. */
export async function createAccountCommands(deps: {
  database: Database
  clock: Clock
  baseUrl: string
  signer: Signer
}) {
  const { database, clock } = deps
  await checkSchema(database)
  const bus = await createBus(database)
  const audit = createAudit({ database, bus, clock, signer: deps.signer })
  const links = createLinks(deps)
  const sessions = createSessions(deps)
  const tokens = createTokens(deps)

  async function find(login: string): Promise<UserRow> {
    const user = await findUserByLogin(database.read, login)
    if (!user) throw new CommandError(`There is no user “${login}”. Give a user name or an e-mail address.`)
    return user
  }

  const record = <K extends AuditKey>(tx: Tx, user: UserRow, event: K, body: BodyFor<K>) =>
    audit.recordReported(tx, shell(), event, { type: 'user', id: user.id }, body)

  /** The sessions and editors of a person end; a running server learns of it within 20 seconds. */
  async function endAccess(tx: Tx, user: UserRow): Promise<void> {
    await sessions.endAll(tx, user.id)
    await tokens.endEditorSessions(tx, user.id)
    await bus.publish(tx, { type: 'session', user: user.id })
  }

  return {
    async resetPassword(login: string): Promise<string> {
      const user = await find(login)
      if (user.suspended)
        throw new CommandError(`${user.username} is suspended, and could not sign in. Run lift-suspension first.`)
      const { url, expiresAt } = await database.transact(async (tx) => {
        const link = await links.make(tx, user, 'handed-reset', user.email)
        await record(tx, user, 'users.link-created', { user: userRef(user), info: { purpose: 'reset-password' } })
        return link
      })
      return `${user.username} sets a new password at this address, once, until ${iso(expiresAt)}:\n${url}`
    },

    async resetSecondFactor(login: string): Promise<string> {
      const user = await find(login)
      await database.transact(async (tx) => {
        await forgetFactors(tx, user.id)
        await endAccess(tx, user)
        await record(tx, user, 'users.second-factor.reset', { user: userRef(user) })
      })
      return `${user.username} signs in by the password alone until they add a second factor again.`
    },

    async makeAdmin(login: string): Promise<string> {
      const user = await find(login)
      if (user.admin) return `${user.username} is an administrator already.`
      await database.transact(async (tx) => {
        await updateUser(tx, user.id, { admin: 1, updated_at: clock.now() })
        await record(tx, user, 'users.made-admin', { user: userRef(user) })
      })
      return `${user.username} is an administrator now.`
    },

    async liftSuspension(login: string): Promise<string> {
      const user = await find(login)
      if (!user.suspended) return `${user.username} is not suspended.`
      await database.transact(async (tx) => {
        await updateUser(tx, user.id, { suspended: 0, updated_at: clock.now() })
        await suspendedByHand(tx, user.id)
        await record(tx, user, 'users.suspension-lifted', { user: userRef(user) })
      })
      return `${user.username} can sign in again.`
    },

    close: () => bus.close(),
  }
}

/** A running server must not find its schema changed by a command of another version. */
export async function checkSchema({ read }: Database): Promise<void> {
  const db = read as unknown as Kysely<{ migrations: { name: string } }>
  const rows = await db
    .selectFrom('migrations')
    .select('name')
    .execute()
    .catch(() => [])
  const known = await listMigrations()
  if (rows.length === 0)
    throw new CommandError(
      'There is no platform in this database. Are FORGE_HOME and FORGE_DATABASE_URL set as for the server?',
    )
  if (rows.length !== known.length)
    throw new CommandError(
      'The database is of another version. Start the server of this version once, or use that one.',
    )
}
