import {
  type AccountLink,
  type AdminUser,
  type AdminUserPatch,
  type LinkPurpose,
  type PageQuery,
  type UserCreate,
  type UserTeam,
} from '@app/contract'
import type { Actor, UserActor } from '../../platform/authz/actor.ts'
import type { Clock } from '../../platform/clock.ts'
import { asItIs, columnsOf } from '../../platform/db/columns.ts'
import { brokenRule, type Database } from '../../platform/db/database.ts'
import { pageOf } from '../../platform/db/page.ts'
import { flag, type Tx } from '../../platform/db/tables.ts'
import type { Bus } from '../../platform/events/bus.ts'
import type { Services } from '../../platform/features/services.ts'
import { fail } from '../../platform/http/failure.ts'
import { hashPassword } from '../../platform/passwords.ts'
import {
  type Accounts,
  actorFor,
  deleteLinksOf,
  keepAdministrator,
  letters,
  loginKey,
  passwordFault,
  type Passwords,
  type Profiles,
  refuseReserved,
  refuseTaken,
  type Registrations,
  takenBy,
  updateUser,
  userRef,
  type PersonRow,
  type UserRow,
  userView,
} from '../account/index.ts'
import { type Audit, changes, userScope } from '../audit/index.ts'
import type { Mail } from '../mail/index.ts'
import { listUsers, pendingAmong } from './users.store.ts'

export interface UsersDependencies {
  database: Database
  bus: Bus
  hooks: Services['hooks']
  clock: Clock
  audit: Audit
  mail: Mail
  accounts: Accounts
  registrations: Registrations
  passwords: Passwords
  profiles: Profiles
  tokens: { endAll(tx: Tx, userId: string): Promise<void> }
  editors: { signOut(tx: Tx, user: { userId: string; username: string }): Promise<void> }
  teams: {
    ofUser(userId: string): Promise<UserTeam[]>
    roleOf(teamId: string, userId: string): Promise<number | undefined>
    createPersonal(actor: UserActor): Promise<{ id: string; name: string; slug: string } | undefined>
  }
  baseUrl: string
  termsRequired(): Promise<boolean>
  ssoDomains: { isOn(): Promise<boolean> }
}

/** Done in the transaction that changes an account. */
type Within = (tx: Tx, userId: string) => Promise<void>

export type Users = ReturnType<typeof createUsers>

/** The record before a change, under the names of the wire. */
const shown = (row: UserRow) => ({
  username: row.username,
  name: row.name,
  email: row.email,
  admin: row.admin === 1,
  email_verified: row.email_verified === 1,
  suspended: row.suspended === 1,
  password_expired: row.password_expired === 1,
  defaultTeam: row.default_team_id,
})

/** Other people's accounts, as administrators see and change them. */
export function createUsers(deps: UsersDependencies) {
  const { database, clock, audit, mail, accounts, registrations, passwords, tokens } = deps
  const { read } = database
  const postgres = database.kind === 'postgres'

  async function find(id: string): Promise<UserRow> {
    const user = await accounts.find(id)
    if (!user) throw fail('not_found')
    return user
  }

  async function views(rows: readonly PersonRow[]): Promise<AdminUser[]> {
    const ids = rows.map(({ id }) => id)
    const pending = await pendingAmong(read, ids, clock.now())
    const termsRequired = await deps.termsRequired()
    const sso = await deps.ssoDomains.isOn()
    return rows.map((row) => {
      const pendingEmail = pending.has(row.id)
      return {
        ...userView(row, { baseUrl: deps.baseUrl, termsRequired, pendingEmail, sso }),
        mfa: row.second_factor === 1,
      }
    })
  }

  async function view(id: string): Promise<AdminUser> {
    const [one] = await views([await find(id)])
    return one!
  }

  async function checkNames(patch: { username?: string; email?: string }, before?: UserRow): Promise<void> {
    if (patch.username !== undefined && loginKey(patch.username) !== before?.username_key)
      refuseReserved(patch.username)
    refuseTaken(await takenBy(read, patch, before?.id))
  }

  /** Says which name was taken by somebody who was faster, where the database noticed. */
  async function saying<T>(work: Promise<T>, names: { username?: string; email?: string }, id?: string): Promise<T> {
    return work.catch(async (error: unknown) => {
      if (brokenRule(error) === 'unique') refuseTaken(await takenBy(read, names, id))
      throw error
    })
  }

  function refuseOneself(actor: Actor, id: string, patch: AdminUserPatch): void {
    if (actor.kind !== 'user' || actor.userId !== id) return
    if (patch.suspended) throw fail('invalid_request', 'You cannot suspend yourself', { field: 'suspended' })
    if (patch.admin === false) {
      const reason = 'You cannot take the admin role from yourself: another administrator can'
      throw fail('invalid_request', reason, { field: 'admin' })
    }
  }

  function changeOf(before: UserRow, patch: AdminUserPatch): Partial<UserRow> {
    const columns = columnsOf<AdminUserPatch, UserRow>(patch, {
      username: { username: asItIs, username_key: loginKey },
      name: { name: (name) => name || (patch.username ?? before.username) },
      email: { email: asItIs, email_key: loginKey },
      admin: { admin: flag },
      suspended: { suspended: flag },
      password_expired: { password_expired: flag },
      // Taking it back also ends what only a proven address may do: registrations.doubt.
      email_verified: { email_verified: (verified) => (verified ? 1 : undefined) },
      defaultTeam: 'default_team_id',
    })
    return { ...columns, updated_at: clock.now() }
  }

  /** Follows up a change of names: links mailed to a former address must not work for its reader. */
  async function follow(tx: Tx, before: UserRow, patch: AdminUserPatch): Promise<void> {
    if (patch.email !== undefined && patch.email !== before.email) {
      await deleteLinksOf(tx, before.id)
      await mail.send(tx, letters.emailChanged(before, patch.email))
    }
    if (patch.username !== undefined && patch.username !== before.username) {
      await deps.editors.signOut(tx, { userId: before.id, username: before.username })
      await mail.send(tx, letters.usernameChanged(before, patch.username))
    }
  }

  async function save(tx: Tx, before: UserRow, patch: AdminUserPatch, change: Partial<UserRow>): Promise<void> {
    if (patch.admin === false || patch.suspended) await keepAdministrator(tx, before, postgres)
    await updateUser(tx, before.id, change)
    await follow(tx, before, patch)
    if (patch.email_verified === false && before.email_verified) await registrations.doubt(tx, { ...before, ...change })
    const suspending = patch.suspended && !before.suspended
    // A person who is no administrator any more must not go on reading what only administrators may.
    if (suspending || (patch.admin === false && before.admin)) await accounts.endAccess(tx, before)
    if (!suspending) return
    await tokens.endAll(tx, before.id)
    await mail.send(tx, letters.suspended(before))
  }

  async function givePersonalTeam(actor: Actor, user: UserRow): Promise<void> {
    const team = await deps.teams.createPersonal(actorFor(user, actor.address))
    if (!team) return
    const body = { team: { id: team.id, name: team.name, slug: team.slug }, user: userRef(user) }
    await database.transact((tx) => audit.record(tx, actor, 'users.auto-created-team', userScope(user.id), body))
  }

  return {
    get: view,

    async list({ query, search, ...page }: PageQuery) {
      const text = (query ?? search ?? '').trim()
      const { rows, ...list } = await pageOf(page, async (portion) => listUsers(read, { ...portion, text }))
      return { ...list, users: await views(rows) }
    },

    async teams(id: string): Promise<UserTeam[]> {
      await find(id)
      return deps.teams.ofUser(id)
    },

    /**
     * Makes an account whose address counts as verified, and a team for it if wanted. `within` is done in the same
     * transaction.
     */
    async create(actor: Actor, body: UserCreate, within?: Within): Promise<AdminUser> {
      const { username, email, password } = body
      const name = body.name ?? ''
      await checkNames({ username, email })
      const fault = await passwordFault(password, { username, email, name })
      if (fault) throw fail('invalid_request', fault, { field: 'password' })
      const passwordHash = await hashPassword(password)
      const made = database.transact(async (tx) => {
        const user = await accounts.create(tx, { username, name, email, passwordHash, admin: body.isAdmin ?? false })
        if (body.password_expired) await updateUser(tx, user.id, { password_expired: 1 })
        await audit.record(tx, actor, 'users.created-user', userScope(user.id), { user: userRef(user) })
        await within?.(tx, user.id)
        return user
      })
      const user = await saying(made, { username, email })
      if (body.createDefaultTeam) await givePersonalTeam(actor, user)
      return view(user.id)
    },

    /**
     * Changes whatever the patch names. The last administrator stays one, and nobody suspends or demotes themself.
     * `within` is done in the same transaction.
     */
    async update(actor: Actor, id: string, patch: AdminUserPatch, within?: Within): Promise<AdminUser> {
      const before = await find(id)
      refuseOneself(actor, id, patch)
      if (patch.email !== undefined && actor.kind === 'user' && actor.userId === id) await accounts.demandProof(actor)
      const names = {
        ...(patch.username === undefined ? {} : { username: patch.username }),
        ...(patch.email === undefined ? {} : { email: patch.email }),
      }
      await checkNames(names, before)
      if (
        patch.email !== undefined &&
        patch.email !== before.email &&
        before.sso_enabled &&
        // The directory that provisioned an account is the one that knows its address.
        actor.kind !== 'scim' &&
        (await deps.ssoDomains.isOn())
      )
        throw fail('invalid_request', 'Cannot modify email for SSO enabled user', { field: 'email' })
      const { defaultTeam } = patch
      if (defaultTeam !== undefined && (!defaultTeam || (await deps.teams.roleOf(defaultTeam, id)) === undefined))
        throw fail('invalid_team', 'This user is not a member of that team', { field: 'defaultTeam' })
      const change = changeOf(before, patch)
      const saved = database.transact(async (tx) => {
        await save(tx, before, patch, change)
        await deps.hooks.run('user.changed', tx, actor, id, patch)
        const updates = changes(shown(before), {
          ...patch,
          ...(change.name === undefined ? {} : { name: change.name }),
        })
        await audit.record(tx, actor, 'users.updated-user', userScope(id), { user: userRef(before), updates })
        await within?.(tx, id)
      })
      await saying(saved, names, id)
      return view(id)
    },

    /** Deletes somebody with everything of theirs. Refused for sole owners of a team and the last administrator. */
    async remove(actor: Actor, id: string): Promise<void> {
      const user = await find(id)
      if (actor.kind === 'user' && actor.userId === id)
        throw fail('invalid_request', 'You cannot delete yourself here: your account page can')
      await database.transact(async (tx) => {
        await audit.record(tx, actor, 'users.deleted-user', userScope(id), { user: userRef(user) })
        await deps.profiles.end(tx, user)
      })
    },

    /**
     * Ends whatever somebody has open; they may sign in again.
     * @throws Failure not_found; invalid_request for oneself, who is asked for a proof on the own page.
     */
    async endSessions(actor: Actor, id: string): Promise<void> {
      const user = await find(id)
      if (actor.kind === 'user' && actor.userId === id)
        throw fail('invalid_request', 'End your own sessions on your security page')
      await database.transact(async (tx) => {
        await accounts.endAccess(tx, user)
        await audit.record(tx, actor, 'users.sessions-ended', userScope(id), { user: userRef(user) })
      })
    },

    /** The link a mail would bring, for an administrator to hand over. */
    async makeLink(actor: Actor, id: string, purpose: LinkPurpose): Promise<AccountLink> {
      const user = await find(id)
      return purpose === 'verify' ? registrations.handOver(actor, user) : passwords.handOver(actor, user)
    },
  }
}
