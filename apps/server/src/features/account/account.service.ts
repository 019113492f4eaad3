import { limits, type Session, type User } from '@app/contract'
import type { Actor, UserActor } from '../../platform/authz/actor.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Tx } from '../../platform/db/tables.ts'
import type { Bus } from '../../platform/events/bus.ts'
import { fail } from '../../platform/http/failure.ts'
import { newId } from '../../platform/ids.ts'
import { checkPassword, hashPassword } from '../../platform/passwords.ts'
import { type Audit, changes } from '../audit/index.ts'
import { findUser, findUserByLogin, insertUser, lockUser, updateUser, type UserRow } from './account.store.ts'
import { sessionView, userView } from './account.view.ts'
import { createLimiter } from './limits.store.ts'
import type { Caller, Sessions } from './sessions.service.ts'
import { sessionLife } from './sessions.service.ts'
import { deleteSession, deleteSessions, hasSession, listSessions } from './sessions.store.ts'

export interface NewUser {
  username: string
  name?: string | undefined
  email: string
  passwordHash: string
  admin: boolean
}

export interface AccountDependencies {
  database: Database
  bus: Bus
  clock: Clock
  audit: Audit
  sessions: Sessions
  /** Editors keep sessions of their own, which end with the one that opened them. */
  editors: { signOut(tx: Tx, user: { userId: string; username: string }): Promise<void> }
  baseUrl: string
  termsRequired(): Promise<boolean>
  /** Is the user a member of the team? Asked before a team becomes the default. */
  isMember(userId: string, teamId: string): Promise<boolean>
}

export type Accounts = ReturnType<typeof createAccounts>

const window = 15 * 60_000
const mostPerAccount = 10
const mostPerAddress = 30

/** Signing in and out, the own profile, password and sessions. */
export function createAccounts(deps: AccountDependencies) {
  const { database, bus, clock, audit, sessions } = deps
  const limiter = createLimiter(() => clock.now(), window)
  const own = (actor: UserActor) => ({ type: 'user' as const, id: actor.userId })

  /**
   * Counts a try at a password as failed until `succeeded` says otherwise.
   * @throws Failure too_many_requests, with the seconds to wait as `retryAfter`.
   */
  async function attempt(account: string, address: string) {
    const [byAccount, byAddress] = [`account:${account}`, `address:${address}`]
    await database.transact(async (tx) => {
      const seconds = await limiter.take(tx, [
        { key: byAccount, most: mostPerAccount },
        { key: byAddress, most: mostPerAddress },
      ])
      if (seconds > 0) throw Object.assign(fail('too_many_requests'), { retryAfter: seconds })
    })
    return {
      async succeeded(tx: Tx): Promise<void> {
        await limiter.clear(tx, byAccount)
        await limiter.giveBack(tx, byAddress)
      },
    }
  }

  async function current(actor: UserActor): Promise<UserRow> {
    const row = await findUser(database.read, actor.userId)
    if (!row) throw fail('unauthorized')
    return row
  }
  const view = async (row: UserRow): Promise<User> => userView(row, deps.baseUrl, await deps.termsRequired())

  return {
    /**
     * Checks the password and opens a session in the place of `former`, whoever's that was.
     * Unknown user and wrong password are the same, in time as well.
     */
    async signIn(
      login: string,
      password: string | undefined,
      caller: Caller,
      former?: Actor,
    ): Promise<{ token: string }> {
      if (password === undefined) throw fail('password_required')
      const user = await findUserByLogin(database.read, login)
      // By the user and not by what was typed: a name and an address are not two accounts to guess at.
      const { succeeded } = await attempt(user?.id ?? login.toLowerCase(), caller.address)
      if (!(await checkPassword(password, user?.password_hash)) || !user) throw fail('unauthorized')
      if (user.suspended) throw fail('user_suspended')
      const token = await database.transact(async (tx) => {
        // A password that was replaced while it was being checked must not open a session after the others have ended.
        const now = await lockUser(tx, user.id, database.kind === 'postgres')
        if (now?.password_hash !== user.password_hash) throw fail('unauthorized')
        if (now.suspended) throw fail('user_suspended')
        await succeeded(tx)
        if (former?.kind === 'user' && 'session' in former.via)
          await deleteSession(tx, former.userId, former.via.session)
        const opened = await sessions.open(tx, user.id, caller)
        await audit.record(tx, actorFor(user, caller.address), 'account.login', { type: 'user', id: user.id }, {})
        return opened
      })
      return { token }
    },

    async signOut(actor: Actor): Promise<void> {
      if (actor.kind !== 'user' || !('session' in actor.via)) return
      const { session } = actor.via
      await database.transact(async (tx) => {
        await deleteSession(tx, actor.userId, session)
        await deps.editors.signOut(tx, actor)
        await audit.record(tx, actor, 'account.logout', own(actor), {})
        await bus.publish(tx, { type: 'session', user: actor.userId })
      })
    },

    get: async (actor: UserActor) => view(await current(actor)),

    async update(actor: UserActor, patch: { name?: string; defaultTeam?: string; tcs_accepted?: true }): Promise<User> {
      const before = await current(actor)
      if (patch.defaultTeam && !(await deps.isMember(actor.userId, patch.defaultTeam))) throw fail('invalid_team')
      const change: Partial<UserRow> = {
        ...(patch.name === undefined ? {} : { name: patch.name || before.username }),
        ...(patch.defaultTeam ? { default_team_id: patch.defaultTeam } : {}),
        ...(patch.tcs_accepted ? { tcs_accepted_at: clock.now() } : {}),
        updated_at: clock.now(),
      }
      await database.transact(async (tx) => {
        await updateUser(tx, actor.userId, change)
        const updates = changes(
          { name: before.name, defaultTeam: before.default_team_id },
          { name: change.name, defaultTeam: patch.defaultTeam },
        )
        await audit.record(tx, actor, 'user.updated-user', own(actor), { updates })
      })
      return view({ ...before, ...change })
    },

    async changePassword(actor: UserActor, old: string, next: string): Promise<void> {
      const user = await current(actor)
      const { succeeded } = await attempt(user.id, actor.address)
      if (!(await checkPassword(old, user.password_hash))) throw fail('password_change_failed')
      if (next.length < limits.passwordMin)
        throw fail('password_change_failed', 'Password too short', { field: 'password' })
      const password_hash = await hashPassword(next)
      await database.transact(async (tx) => {
        await succeeded(tx)
        await updateUser(tx, user.id, { password_hash, password_expired: 0, updated_at: clock.now() })
        await deleteSessions(tx, user.id, 'session' in actor.via ? actor.via.session : undefined)
        await deps.editors.signOut(tx, actor)
        await audit.record(tx, actor, 'user.updated-password', own(actor), {})
        await bus.publish(tx, { type: 'session', user: actor.userId })
      })
    },

    /** Is the actor's session or token still good, and its user not suspended? */
    async isSignedIn(actor: UserActor): Promise<boolean> {
      const user = await findUser(database.read, actor.userId)
      if (!user || user.suspended) return false
      return (
        !('session' in actor.via) ||
        (await hasSession(database.read, actor.via.session, clock.now(), clock.now() - sessionLife.idle))
      )
    },

    async sessions(actor: UserActor): Promise<Session[]> {
      const now = clock.now()
      const rows = await listSessions(database.read, actor.userId, now, now - sessionLife.idle)
      return rows.map((row) => sessionView(row, 'session' in actor.via ? actor.via.session : ''))
    },

    async endSession(actor: UserActor, id: string): Promise<void> {
      await database.transact(async (tx) => {
        if (!(await deleteSession(tx, actor.userId, id))) throw fail('not_found')
        // Which session opened which editor is not known, and one that was opened by a stranger must not stay.
        await deps.editors.signOut(tx, actor)
        await audit.record(tx, actor, 'user.session.revoked', own(actor), {})
        await bus.publish(tx, { type: 'session', user: actor.userId })
      })
    },

    /** The user with this id, if there is one. */
    find: async (id: string | undefined): Promise<UserRow | undefined> =>
      id === undefined ? undefined : findUser(database.read, id),

    /** Adds a verified user. The caller has checked the input and hashed the password. */
    async create(tx: Tx, user: NewUser): Promise<UserRow> {
      const now = clock.now()
      const row: UserRow = {
        id: newId(),
        username: user.username,
        username_key: user.username.toLowerCase(),
        name: user.name || user.username,
        email: user.email,
        email_key: user.email.toLowerCase(),
        password_hash: user.passwordHash,
        admin: user.admin ? 1 : 0,
        email_verified: 1,
        suspended: 0,
        password_expired: 0,
        tcs_accepted_at: null,
        default_team_id: null,
        created_at: now,
        updated_at: now,
      }
      await insertUser(tx, row)
      return row
    },
  }
}

/** The actor a user is while signing in, before the new session exists. */
export function actorFor(user: Pick<UserRow, 'id' | 'username' | 'name' | 'admin'>, address: string): UserActor {
  return {
    kind: 'user',
    userId: user.id,
    username: user.username,
    name: user.name,
    admin: user.admin === 1,
    locked: false,
    via: { session: '' },
    address,
  }
}
