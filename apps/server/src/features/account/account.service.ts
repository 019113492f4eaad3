import type { User } from '@app/contract'
import type { Actor, UserActor } from '../../platform/authz/actor.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db/database.ts'
import { flag, type Tx } from '../../platform/db/tables.ts'
import type { Bus } from '../../platform/events/bus.ts'
import { type Failure, fail } from '../../platform/http/failure.ts'
import { newId } from '../../platform/ids.ts'
import { checkPassword } from '../../platform/passwords.ts'
import { type Audit, userScope } from '../audit/index.ts'
import {
  findUser,
  findUserByLogin,
  insertUser,
  listUsersById,
  lockUser,
  loginKey,
  type UserRow,
} from './account.store.ts'
import { userRef, userView } from './account.view.ts'
import type { Browsers } from './browsers.service.ts'
import type { Guesses } from './guesses.service.ts'
import type { Links } from './links.service.ts'
import { type Caller, type Opened, proofLife, type Sessions } from './sessions.service.ts'
import type { Notices } from './sign-in.notices.ts'
import { findWithAddress } from './links.store.ts'
import { deleteSession, deleteSessions, markProven, provenAt } from './sessions.store.ts'

export interface NewUser {
  username: string
  name?: string | undefined
  email: string
  passwordHash: string
  admin: boolean
  /** Absent: whoever makes the account knows that the address is right. */
  verified?: boolean
  /** The address is not proven, and the account is open all the same. */
  proofWaived?: boolean
  /** Signs in through a provider. */
  sso?: boolean
  termsAcceptedAt?: number
}

export interface AccountDependencies {
  billingCredit: { isAvailable(userId: string): Promise<boolean | undefined> }
  database: Database
  bus: Bus
  clock: Clock
  audit: Audit
  sessions: Sessions
  links: Links
  guesses: Guesses
  browsers: Browsers
  notices: Notices
  /** Editors keep sessions of their own, which end with the one that opened them. */
  editors: { signOut(tx: Tx, user: { userId: string; username: string }): Promise<void> }
  baseUrl: string
  termsRequired(): Promise<boolean>
  ssoDomains: { isOn(): Promise<boolean> }
  /**
   * Asked when the password was right: the token of a second step when the user has a second factor,
   * else nothing, and the session is opened at once.
   */
  secondFactor: { begin(user: UserRow): Promise<string | undefined> }
}

export type Accounts = ReturnType<typeof createAccounts>

/** The provider that signed a person in, in the place of a password; its name, unless a second step came between. */
export type SignInBy = { provider?: { id: string; name: string } }

/** A session was opened, or a second step has to be taken first. */
export type SignIn = Opened | { step: string }

/** Accounts, and signing in and out. */
export function createAccounts(deps: AccountDependencies) {
  const { database, bus, clock, audit, sessions, links, browsers } = deps

  /** `pending`: the address that waits to become theirs, if the caller knows. */
  async function view(
    row: UserRow,
    { byProvider = false }: Pick<UserActor, 'byProvider'> = {},
    known?: { pending: string | undefined },
  ): Promise<User> {
    const { pending } = known ?? { pending: await links.pendingEmail(row.id) }
    const termsRequired = row.tcs_accepted_at !== null && (await deps.termsRequired())
    // Most people sign in by a password: nothing is asked for them.
    const sso = row.sso_enabled === 1 && (await deps.ssoDomains.isOn())
    const freeCredit = await deps.billingCredit.isAvailable(row.id)
    const options = { baseUrl: deps.baseUrl, termsRequired, pendingEmail: pending !== undefined, sso, freeCredit }
    const user = userView(byProvider ? { ...row, password_expired: 0 } : row, options)
    return pending === undefined ? user : { ...user, pendingEmail: pending }
  }

  /**
   * Opens a session in the place of `former`, whoever's that was. The caller has checked all that is asked for.
   * `by`: the provider that signed the person in, for the audit log.
   */
  async function open(tx: Tx, user: UserRow, caller: Caller, former?: Actor, by?: SignInBy): Promise<Opened> {
    if (former?.kind === 'user' && 'session' in former.via) await deleteSession(tx, former.userId, former.via.session)
    const token = await sessions.open(tx, user.id, caller, { byProvider: by !== undefined })
    const { token: browser, isNew } = await browsers.remember(tx, user.id, caller.browser)
    if (isNew) await deps.notices.newBrowser(tx, user, caller)
    await audit.record(
      tx,
      actorFor(user, caller.address),
      'account.login',
      userScope(user.id),
      by?.provider ? { info: by } : {},
    )
    return { token, browser }
  }

  /** Records a sign-in that was refused, and refuses it. A name nobody has costs the same work. */
  async function refuse(user: UserRow | undefined, address: string, failure: Failure, login = ''): Promise<never> {
    const error = { code: failure.code, message: failure.message }
    const body = { ...(user ? { user: userRef(user) } : {}), error }
    const auditScope = userScope(user?.id ?? 'unknown')
    const kind = failure.code === 'unauthorized' ? 'password' : failure.code === 'invalid_code' ? 'code' : undefined
    await database.transact(async (tx) => {
      await audit.record(tx, { kind: 'anonymous', address }, 'account.login', auditScope, body)
      if (kind) await deps.notices.refused(tx, kind, user, login, address)
    })
    throw failure
  }

  return {
    view,
    open,
    refuse,

    /**
     * Checks the password and opens a session in the place of `former`, or begins a second step.
     * Unknown user and wrong password are the same, in time as well.
     */
    async signIn(login: string, password: string | undefined, caller: Caller, former?: Actor): Promise<SignIn> {
      // Sign-in pages of the installed base send an empty password to learn whether one is asked for.
      if (!password) throw fail('password_required')
      const user = await findUserByLogin(database.read, login)
      // By the user and not by what was typed: a name and an address are not two accounts to guess at.
      const known = await browsers.find(user?.id, caller.browser)
      const guess = await deps.guesses.guess(
        known ? { own: `browser:${known.id}` } : { account: user?.id ?? loginKey(login), address: caller.address },
      )
      if (!(await checkPassword(password, user?.password_hash)) || !user)
        return refuse(user, caller.address, fail('unauthorized'), login)
      if (user.suspended) return refuse(user, caller.address, fail('user_suspended'))
      const step = await deps.secondFactor.begin(user)
      if (step !== undefined) {
        await database.transact((tx) => guess.rightSoFar(tx))
        return { step }
      }
      return database.transact(async (tx) => {
        // A password that was replaced while it was being checked must not open a session after the others have ended.
        const now = await lockUser(tx, user.id, database.kind === 'postgres')
        if (now?.password_hash !== user.password_hash) throw fail('unauthorized')
        if (now.suspended) throw fail('user_suspended')
        await guess.right(tx)
        return open(tx, user, caller, former)
      })
    },

    /**
     * Asked before a browser that was left open, or a token that got lost, could take an account away. A token cannot
     * answer, so it never passes.
     * @throws Failure proof_required when the session was opened, and its user last proven, too long ago.
     */
    async demandProof(actor: UserActor): Promise<void> {
      if (!('session' in actor.via))
        throw fail('proof_required', 'Do this in a browser: a token cannot confirm your identity')
      const at = await provenAt(database.read, actor.via.session)
      if (at === undefined || at + proofLife <= clock.now()) throw fail('proof_required')
    },

    /** The holder of this session has just proven who they are. */
    async proven({ via }: UserActor): Promise<void> {
      if ('session' in via) await markProven(database.read, via.session, clock.now())
    },

    async signOut(actor: Actor): Promise<void> {
      if (actor.kind !== 'user' || !('session' in actor.via)) return
      const { session } = actor.via
      await database.transact(async (tx) => {
        await deleteSession(tx, actor.userId, session)
        await deps.editors.signOut(tx, actor)
        await audit.record(tx, actor, 'account.logout', userScope(actor.userId), {})
        await bus.publish(tx, { type: 'session', user: actor.userId })
      })
    },

    /**
     * Ends what a person has open: sessions (all but `except`), streams to browsers, and editors, whose tokens go
     * at once and whose own sessions right after the commit.
     */
    async endAccess(tx: Tx, user: { id: string; username: string }, except?: string): Promise<void> {
      await deleteSessions(tx, user.id, except)
      await deps.editors.signOut(tx, { userId: user.id, username: user.username })
      await bus.publish(tx, { type: 'session', user: user.id })
    },

    /** Ends one session of a person, and what they have open in editors; false when it is not theirs. */
    async endSession(tx: Tx, user: { id: string; username: string }, session: string): Promise<boolean> {
      if (!(await deleteSession(tx, user.id, session))) return false
      await deps.editors.signOut(tx, { userId: user.id, username: user.username })
      await bus.publish(tx, { type: 'session', user: user.id })
      return true
    },

    /**
     * The actor's own row.
     * @throws Failure unauthorized when the account has gone meanwhile.
     */
    async current(actor: UserActor): Promise<UserRow> {
      const row = await findUser(database.read, actor.userId)
      if (!row) throw fail('unauthorized')
      return row
    },

    /** The actor's own record. @throws Failure unauthorized when the account has gone meanwhile. */
    async own(actor: UserActor): Promise<User> {
      const found = await findWithAddress(database.read, actor.userId, clock.now())
      if (!found) throw fail('unauthorized')
      return view(found, actor, { pending: found.pending_email ?? undefined })
    },

    /** These people, without those that are gone. */
    listById: async (ids: readonly string[]): Promise<UserRow[]> => listUsersById(database.read, ids),
    /** The user with this id, if there is one. */
    find: async (id: string | undefined): Promise<UserRow | undefined> =>
      id === undefined ? undefined : findUser(database.read, id),

    /** The user who signs in with this name or address, if there is one. */
    findByLogin: async (login: string): Promise<UserRow | undefined> => findUserByLogin(database.read, login),

    /** Adds a user. The caller has checked the input and hashed the password. */
    async create(tx: Tx, user: NewUser): Promise<UserRow> {
      const now = clock.now()
      const row: UserRow = {
        id: newId(),
        username: user.username,
        username_key: loginKey(user.username),
        name: user.name || user.username,
        email: user.email,
        email_key: loginKey(user.email),
        password_hash: user.passwordHash,
        local_password: flag(!user.sso),
        admin: flag(user.admin),
        email_verified: flag(user.verified ?? true),
        proof_waived: flag(user.proofWaived ?? false),
        suspended: 0,
        password_expired: 0,
        second_factor: 0,
        sso_enabled: flag(user.sso ?? false),
        tcs_accepted_at: user.termsAcceptedAt ?? null,
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
