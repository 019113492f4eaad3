import { type Registration, reservedUsernames, type StoredSettings, type User } from '@app/contract'
import type { Actor, UserActor } from '../../platform/authz/actor.ts'
import { type Clock, iso } from '../../platform/clock.ts'
import { newToken } from '../../platform/crypto.ts'
import { brokenRule, type Database } from '../../platform/db/database.ts'
import type { Tx } from '../../platform/db/tables.ts'
import { Failure, fail } from '../../platform/http/failure.ts'
import { checkPassword, hashPassword } from '../../platform/passwords.ts'
import { type Audit, userScope } from '../audit/index.ts'
import type { Mail } from '../mail/index.ts'
import { letters } from './account.mails.ts'
import { type Accounts, actorFor } from './account.service.ts'
import { loginKey, takenBy, updateUser, type UserRow } from './account.store.ts'
import { userRef } from './account.view.ts'
import type { Guesses } from './guesses.service.ts'
import type { Links } from './links.service.ts'
import type { LinkRow } from './links.store.ts'
import { passwordFault } from './passwords.service.ts'
import type { Caller } from './sessions.service.ts'

type SignUpSetting = 'user:signup' | 'user:tcs-required' | 'team:user:invite:external' | 'user:team:auto-create'

export interface RegistrationDependencies {
  database: Database
  clock: Clock
  audit: Audit
  mail: Mail
  accounts: Accounts
  links: Links
  guesses: Guesses
  settings(): Promise<Pick<StoredSettings, SignUpSetting>>
  /** Does a new account with this address sign in through a provider? @throws Failure invalid_sso_email */
  ssoDomains: { signsUp(email: string): Promise<boolean> }
  /** Does an invitation wait for this address, which nobody has yet? */
  isInvited(email: string): Promise<boolean>
  /** Was this code mailed to this address, with an invitation that still waits? */
  isInvitedBy(tx: Tx, email: string, code: string): Promise<boolean>
  /** May somebody sign up with this code of an invitation link? */
  admits(code: string): Promise<boolean>
  /** Takes whoever signed up with a link into its team; false when it is not valid any more. */
  take(tx: Tx, user: UserRow, code: string, address: string): Promise<boolean>
  /** Told in the transaction in which an address turned out to be its owner's. */
  verified(tx: Tx, user: UserRow): Promise<void>
  /** A team of one's own for somebody who belongs to none; undefined when they do. */
  createTeam(actor: UserActor): Promise<{ id: string; name: string; slug: string } | undefined>
}

export type Registrations = ReturnType<typeof createRegistrations>

const badLink = () => fail('invalid_request', 'This link to confirm an address is wrong or has expired')

/** @throws Failure invalid_username or invalid_email. */
export function refuseTaken(taken: 'username' | 'email' | undefined): void {
  if (taken === 'username') throw fail('invalid_username', 'This username is not available', { field: 'username' })
  if (taken === 'email') throw fail('invalid_email', 'email must be unique', { field: 'email' })
}

/** @throws Failure invalid_username for names that stand for the platform itself. */
export function refuseReserved(username: string): void {
  if (reservedUsernames.includes(loginKey(username)))
    throw fail('invalid_username', `The username ${username} is reserved`, { field: 'username' })
}

/** Signing up, and proving whose an address is. */
export function createRegistrations(deps: RegistrationDependencies) {
  const { database, clock, audit, mail, accounts, links, guesses } = deps

  async function mailLink(tx: Tx, user: UserRow): Promise<void> {
    const { url } = await links.make(tx, user, 'verify', user.email)
    await mail.send(tx, letters.verify(user, url))
  }

  async function proven(tx: Tx, user: UserRow, actor: UserActor): Promise<void> {
    await audit.record(tx, actor, 'account.verify.verify-token', userScope(user.id), {})
    await deps.verified(tx, user)
  }

  async function insert(
    body: Registration,
    passwordHash: string,
    caller: Caller,
    { open, byLink, sso }: { open: boolean; byLink: boolean; sso: boolean },
  ): Promise<UserRow> {
    const { username, email, name } = body
    const terms = body.tcs_accepted ? { termsAcceptedAt: clock.now() } : {}
    return database.transact(async (tx) => {
      // Only who reads the mail of the address has its code, so the address needs no second mail.
      // Only who is that person at the provider can sign in, so that needs none either.
      const verified = sso || (body.code ? await deps.isInvitedBy(tx, email, body.code) : false)
      // A link reaches people in whatever way, so it proves no address. Where no mail can be sent nobody could prove one.
      const proofWaived = byLink && !mail.configured
      const user = await accounts.create(tx, {
        username,
        email,
        name,
        passwordHash,
        admin: false,
        verified,
        proofWaived,
        sso,
        ...terms,
      })
      const actor = actorFor(user, caller.address)
      await audit.record(tx, actor, 'account.register', userScope(user.id), { user: userRef(user) })
      const joined = byLink && body.code ? await deps.take(tx, user, body.code, caller.address) : false
      if (!open && !joined) throw fail('user_registration_unavailable')
      if (verified) await proven(tx, user, actor)
      else if (mail.configured) await mailLink(tx, user)
      return user
    })
  }

  /** Verification counts whether or not the team comes to be; what went wrong is in the log. */
  async function giveTeam(actor: UserActor): Promise<void> {
    const made = deps.createTeam(actor).catch((error: unknown) => {
      if (error instanceof Failure) return error
      throw error
    })
    const team = await made
    if (!team) return
    const body =
      team instanceof Failure
        ? { error: { code: team.code, message: team.message } }
        : { team: { id: team.id, name: team.name, slug: team.slug } }
    await database.transact((tx) =>
      audit.record(tx, actor, 'account.verify.auto-create-team', userScope(actor.userId), body),
    )
  }

  /**
   * The reader of an address's mail is not always the person who signed up with it. The address counts only for
   * somebody who also knows the password; otherwise whoever chose the password would hold an account with another
   * person's address.
   */
  async function provePassword(user: UserRow, password: string | undefined, link: LinkRow): Promise<void> {
    if (password === undefined) throw fail('password_required')
    const guess = await guesses.guess({ own: `link:${link.id}` })
    if (!(await checkPassword(password, user.password_hash)))
      throw fail('invalid_code', 'This is not your password', { field: 'password' })
    await database.transact((tx) => guess.right(tx))
  }

  return {
    giveTeam,

    /** Makes an account, and mails the link that verifies its address, unless the code of an invitation has shown that. */
    async register(body: Registration, caller: Caller): Promise<User> {
      const settings = await deps.settings()
      const invited = async () => settings['team:user:invite:external'] && deps.isInvited(body.email)
      const open = mail.configured && (settings['user:signup'] || (await invited()))
      const byLink = body.code !== undefined && (await deps.admits(body.code))
      if (!open && !byLink) throw fail('user_registration_unavailable')
      await guesses.mail('register', caller.address)
      refuseReserved(body.username)
      if (settings['user:tcs-required'] && !body.tcs_accepted)
        throw fail('tcs_missing', undefined, { field: 'tcs_accepted' })
      const sso = await deps.ssoDomains.signsUp(body.email)
      const fault = await passwordFault(body.password, { ...body, name: body.name ?? '' })
      if (fault) throw fail('invalid_request', fault, { field: 'password' })
      // Before anybody is looked for, so that the answer takes as long whoever is there.
      // Nobody knows the password of an account that signs in through a provider, not even who made the account.
      const passwordHash = await hashPassword(sso ? newToken('ffso') : body.password)
      refuseTaken(await takenBy(database.read, body))
      const user = await insert(body, passwordHash, caller, { open, byLink, sso }).catch(async (error: unknown) => {
        if (brokenRule(error) === 'unique') refuseTaken(await takenBy(database.read, body))
        throw error
      })
      return accounts.view(user)
    },

    /** Mails the verification link again; the one before stops working. */
    async resend(actor: UserActor): Promise<void> {
      const user = await accounts.current(actor)
      if (user.email_verified) throw fail('invalid_request', 'The address is verified already')
      if (!mail.configured)
        throw fail('invalid_request', 'No mail can be sent: mail is not configured on this platform')
      await guesses.mail('verify', actor.address)
      await database.transact(async (tx) => {
        await mailLink(tx, user)
        await audit.record(tx, actor, 'account.verify.request-token', userScope(user.id), {})
      })
    },

    /** Makes an address count as unproven, and mails a new link for it. */
    async doubt(tx: Tx, user: UserRow): Promise<void> {
      await updateUser(tx, user.id, { email_verified: 0, proof_waived: 0, updated_at: clock.now() })
      await mailLink(tx, user)
    },

    /** The verification link for an administrator to hand over, where no mail brings it. */
    async handOver(actor: Actor, user: UserRow): Promise<{ url: string; expiresAt: string }> {
      if (user.email_verified) throw fail('invalid_request', 'The address is verified already')
      return database.transact(async (tx) => {
        const { url, expiresAt } = await links.make(tx, user, 'verify', user.email)
        const body = { user: userRef(user), info: { purpose: 'verify' } }
        await audit.record(tx, actor, 'users.link-created', userScope(user.id), body)
        return { url, expiresAt: iso(expiresAt) }
      })
    },

    /**
     * Uses a verification link: in a session of its user, or without any by the password, and not in the session of
     * somebody else.
     * @throws Failure invalid_request, password_required, invalid_code, too_many_requests.
     */
    async verify(token: string, actor: Actor, password: string | undefined): Promise<void> {
      const link = await links.find(token, ['verify'])
      const user = await accounts.find(link?.user_id)
      if (!link || !user || (actor.kind === 'user' && actor.userId !== user.id)) throw badLink()
      if (loginKey(link.email) !== user.email_key) throw badLink()
      if (actor.kind !== 'user') await provePassword(user, password, link)
      const self = actorFor(user, actor.address)
      await database.transact(async (tx) => {
        if (!(await links.use(tx, link.id))) throw badLink()
        await updateUser(tx, user.id, { email_verified: 1, updated_at: clock.now() })
        await proven(tx, user, self)
      })
      if ((await deps.settings())['user:team:auto-create']) await giveTeam(self)
    },
  }
}
