import type { User, UserPatch } from '@app/contract'
import type { UserActor } from '../../platform/authz/actor.ts'
import type { Clock } from '../../platform/clock.ts'
import { asItIs, columnsOf } from '../../platform/db/columns.ts'
import { brokenRule, type Database } from '../../platform/db/database.ts'
import { flag, type Tx } from '../../platform/db/tables.ts'
import { fail } from '../../platform/http/failure.ts'
import { type Audit, changes, userScope } from '../audit/index.ts'
import type { Mail } from '../mail/index.ts'
import { letters } from './account.mails.ts'
import type { Accounts } from './account.service.ts'
import { deleteUser, lockUser, loginKey, takenBy, updateUser, type UserRow } from './account.store.ts'
import { identityView, userRef } from './account.view.ts'
import { keepAdministrator } from './administrators.ts'
import type { Guesses } from './guesses.service.ts'
import type { Links } from './links.service.ts'
import { deleteLinksOf } from './links.store.ts'
import { refuseReserved, refuseTaken } from './registration.service.ts'

export interface ProfileDependencies {
  baseUrl: string
  database: Database
  clock: Clock
  audit: Audit
  mail: Mail
  accounts: Accounts
  links: Links
  guesses: Guesses
  ssoDomains: { keeps(user: UserRow, next: string): Promise<'identity' | 'domain' | undefined> }
  editors: { signOut(tx: Tx, user: { userId: string; username: string }): Promise<void> }
  /** Is the user a member of the team? Asked before a team becomes the default. */
  isMember(userId: string, teamId: string): Promise<boolean>
  /**
   * Takes a user who is going away out of every team.
   * @throws Failure unexpected_error 400 when a team would be left without an owner.
   */
  leaveAllTeams(tx: Tx, userId: string): Promise<void>
}

export type Profiles = ReturnType<typeof createProfiles>

const badLink = () => fail('invalid_request', 'This link to confirm a new address is wrong or has expired')

/** The own profile: what one is called, the address, and leaving. */
export function createProfiles(deps: ProfileDependencies) {
  const { database, clock, audit, mail, accounts, links, guesses } = deps
  const postgres = database.kind === 'postgres'

  async function checkPatch(before: UserRow, patch: UserPatch): Promise<void> {
    const privileged = patch.admin !== undefined || patch.email_verified !== undefined
    if (privileged && !before.admin) throw fail('invalid_request', 'Only an administrator can change this')
    if (patch.defaultTeam && !(await deps.isMember(before.id, patch.defaultTeam))) throw fail('invalid_team')
    if (patch.username !== undefined && loginKey(patch.username) !== before.username_key) refuseReserved(patch.username)
    const { username, email } = patch
    refuseTaken(await takenBy(database.read, { ...(username && { username }), ...(email && { email }) }, before.id))
  }

  /**
   * Refuses a new address to somebody whose provider says what their address is [ACCT-15], and one outside the domain to
   * whoever has to sign in through its provider: their password would count again. Administrators may use theirs anyway.
   * @throws Failure invalid_request
   */
  async function refuseSso(user: UserRow, email: string): Promise<void> {
    const field = { field: 'email' }
    const reason = await deps.ssoDomains.keeps(user, email)
    if (reason === 'identity') throw fail('invalid_request', 'Cannot modify email for SSO enabled user', field)
    if (reason === 'domain')
      throw fail('invalid_request', 'Your company manages this address. Choose another one of its domain', field)
  }

  /** Mails the link that makes this the address. */
  async function requestEmail(tx: Tx, actor: UserActor, user: UserRow, email: string): Promise<void> {
    const { url } = await links.make(tx, user, 'email', email)
    await mail.send(tx, letters.changeEmail(user, email, url))
    await audit.record(tx, actor, 'account.change-email-request', userScope(user.id), { user: userRef(user) })
  }

  /** @throws Failure invalid_request without mail; too_many_requests. */
  async function mayMail(actor: UserActor): Promise<void> {
    if (!mail.configured) {
      const reason = 'The email cannot be changed: mail is not configured on this platform'
      throw fail('invalid_request', reason, { field: 'email' })
    }
    await guesses.mail('email', actor.address)
  }

  function changeOf(before: UserRow, patch: UserPatch): Partial<UserRow> {
    const columns = columnsOf<UserPatch, UserRow>(patch, {
      username: { username: asItIs, username_key: loginKey },
      name: { name: (name) => name || (patch.username ?? before.username) },
      // Becomes the address by the link that is mailed.
      email: null,
      defaultTeam: 'default_team_id',
      tcs_accepted: { tcs_accepted_at: () => clock.now() },
      admin: { admin: flag },
      email_verified: { email_verified: flag },
    })
    return { ...columns, updated_at: clock.now() }
  }

  async function save(
    tx: Tx,
    actor: UserActor,
    before: UserRow,
    patch: UserPatch,
    change: Partial<UserRow>,
  ): Promise<void> {
    if (patch.admin === false) await keepAdministrator(tx, before, postgres)
    await updateUser(tx, before.id, change)
    const { name, default_team_id: defaultTeam, username } = before
    const old = { username, name, defaultTeam, admin: before.admin === 1, email_verified: before.email_verified === 1 }
    const { admin, email_verified, tcs_accepted } = patch
    const next = { username: change.username, name: change.name, defaultTeam: patch.defaultTeam, admin, email_verified }
    const updates = changes({ ...old, tcs_accepted: undefined }, { ...next, tcs_accepted })
    await audit.record(tx, actor, 'user.updated-user', userScope(before.id), { updates })
    if (change.username === undefined || change.username === before.username) return
    // Editors know a person by their user name.
    await deps.editors.signOut(tx, { userId: before.id, username: before.username })
    await mail.send(tx, letters.usernameChanged(before, change.username))
  }

  /** Ends an account and everything of it. Refused for sole owners and for the last administrator. */
  async function end(tx: Tx, user: UserRow): Promise<void> {
    await keepAdministrator(tx, user, postgres)
    await deps.leaveAllTeams(tx, user.id)
    await accounts.endAccess(tx, user)
    await deleteUser(tx, user.id)
  }

  return {
    end,
    /** The own record; to the editor of an instance no more of it than who somebody is. */
    async get(actor: UserActor): Promise<User> {
      const isEditor = 'token' in actor.via && actor.via.targetId !== undefined
      return isEditor ? identityView(await accounts.current(actor), deps.baseUrl) : accounts.own(actor)
    },

    /** Changes the profile at once, and the address only by the link that is mailed to it. */
    async update(actor: UserActor, patch: UserPatch): Promise<User> {
      const before = await accounts.current(actor)
      await checkPatch(before, patch)
      const email = patch.email !== undefined && patch.email !== before.email ? patch.email : undefined
      if (email !== undefined) {
        await refuseSso(before, email)
        await accounts.demandProof(actor)
        await mayMail(actor)
      }
      const change = changeOf(before, patch)
      const saved = database.transact(async (tx) => {
        await save(tx, actor, before, patch, change)
        if (email !== undefined) await requestEmail(tx, actor, { ...before, ...change }, email)
      })
      await saved.catch((error: unknown) => {
        if (brokenRule(error) === 'unique') refuseTaken('username')
        throw error
      })
      return accounts.view({ ...before, ...change }, actor)
    },

    /** Asks for another address; without one, mails the pending link again. */
    async changeEmail(actor: UserActor, wanted: string | undefined): Promise<void> {
      const user = await accounts.current(actor)
      const email = wanted ?? (await links.pendingEmail(user.id))
      if (email === undefined) throw fail('invalid_request', 'No change of address is pending')
      await refuseSso(user, email)
      refuseTaken(await takenBy(database.read, { email }, user.id))
      if (wanted !== undefined) await accounts.demandProof(actor)
      await mayMail(actor)
      await database.transact((tx) => requestEmail(tx, actor, user, email))
    },

    /** Keeps the address that there is; does nothing when no other is waiting. */
    async cancelEmail(actor: UserActor): Promise<void> {
      if ((await links.pendingEmail(actor.userId)) === undefined) return
      await database.transact(async (tx) => {
        await deleteLinksOf(tx, actor.userId, ['email'])
        await audit.record(tx, actor, 'account.change-email-cancelled', userScope(actor.userId), {})
      })
    },

    /** Takes the new address. Only in a session of the user who asked for it; the former address is told. */
    async confirmEmail(actor: UserActor, token: string): Promise<void> {
      const link = await links.find(token, ['email'])
      if (!link || link.user_id !== actor.userId) throw badLink()
      const user = await accounts.current(actor)
      const { email } = link
      // A link that was mailed before the account was linked, or before its domain had a provider.
      await refuseSso(user, email)
      refuseTaken(await takenBy(database.read, { email }, user.id))
      const saved = database.transact(async (tx) => {
        if (!(await links.use(tx, link.id))) throw badLink()
        // A provider links the account at the same moment: its address stays.
        if ((await lockUser(tx, user.id, postgres))?.sso_enabled !== user.sso_enabled) throw badLink()
        const now = clock.now()
        await updateUser(tx, user.id, { email, email_key: loginKey(email), email_verified: 1, updated_at: now })
        // A link mailed to the former address must not work for whoever reads it there.
        await deleteLinksOf(tx, user.id)
        await audit.record(tx, actor, 'account.change-email-confirmed', userScope(user.id), {})
        await mail.send(tx, letters.emailChanged(user, email))
      })
      await saved.catch((error: unknown) => {
        if (brokenRule(error) === 'unique') refuseTaken('email')
        throw error
      })
    },

    /** Deletes the own account and ends everything of it. Refused to sole owners and to the last administrator. */
    async delete(actor: UserActor): Promise<void> {
      await accounts.demandProof(actor)
      const user = await accounts.current(actor)
      await database.transact(async (tx) => {
        await audit.record(tx, actor, 'user.deleted', userScope(user.id), { user: userRef(user) })
        await end(tx, user)
      })
    },
  }
}
