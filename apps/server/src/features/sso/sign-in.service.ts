import type { Actor } from '../../platform/authz/actor.ts'
import type { Clock } from '../../platform/clock.ts'
import { hashToken, newToken } from '../../platform/crypto.ts'
import { brokenRule, type Database } from '../../platform/db/database.ts'
import type { Tx } from '../../platform/db/tables.ts'
import { hashPassword } from '../../platform/passwords.ts'
import {
  type Accounts,
  actorFor,
  type Caller,
  findUserByEmail,
  firstFreeUsername,
  lockUser,
  loginKey,
  type Registrations,
  type SignIn,
  updateUser,
  userRef,
  type UserRow,
} from '../account/index.ts'
import { type Audit, userScope } from '../audit/index.ts'
import { covers } from './domains.service.ts'
import { findIdentity, findIdentityOf, insertLink, keepIdentity } from './identities.store.ts'
import { ownPath } from './requests.service.ts'
import type { SsoRules } from './rules/rules.service.ts'
import { personName, usernamesFor } from './sign-in.names.ts'
import { keepSignIn } from './sign-in.records.ts'
import { SsoRefusal } from './sso.refusal.ts'
import type { ProviderRow } from './sso.store.ts'
import { optionsOf } from './sso.view.ts'

/** A person as a protocol found them, once all it can check is checked. */
export interface Arrival {
  provider: ProviderRow
  /** The name by which the provider knows the person, and which never changes. */
  subject: string
  email?: string | undefined
  /** Whether the provider calls the address verified; undefined when it does not say. Then one of its domain counts. */
  emailVerified?: boolean | undefined
  name?: string | undefined
  /** The user name wished for a new account. */
  username?: string | undefined
  /** The groups of the person; undefined when the provider said nothing of groups. */
  groups?: readonly string[] | undefined
  /** A sentence for administrators where groups are missing for another reason. */
  groupsNote?: string | undefined
  /** Attributes or claims as they came, for the page of the provider. No assertion, token or secret. */
  sent: Record<string, unknown>
  /** The path the person asked for first. */
  returnTo?: string | undefined
}

/** The result of a sign-in: opened, waiting for a second step or for the password of the account, or refused. */
export type SsoOutcome = (SignIn | { link: string } | { refused: SsoRefusal }) & { returnTo: string }

export interface SsoSignInDependencies {
  database: Database
  clock: Clock
  audit: Audit
  accounts: Pick<Accounts, 'create' | 'find' | 'open'>
  registrations: Pick<Registrations, 'giveTeam'>
  steps: { begin(user: UserRow, options: { byProvider: true }): Promise<string | undefined> }
  invitations: { isInvited(email: string): Promise<boolean>; adopt(tx: Tx, user: UserRow): Promise<void> }
  settings: { all(): Promise<{ 'user:team:auto-create': boolean }> }
  ssoRules: Pick<SsoRules, 'apply'>
}

/** Milliseconds a person has to give the password of the account that is to be linked. */
export const linkMs = 10 * 60_000

const hourMs = 3_600_000
/** Anybody can send an answer of an issuer that nobody knows; so many of them are noted in an hour. */
const unknownMost = 20

export type SsoSignIns = ReturnType<typeof createSsoSignIns>

/**
 * Ends every sign-in through a provider, whatever its protocol (decision 110): finds the linked account, links one, makes
 * one, or refuses, and keeps what happened for the page of the provider.
 */
export function createSsoSignIns(deps: SsoSignInDependencies) {
  const { database, clock, audit, accounts } = deps
  const { read } = database
  const postgres = database.kind === 'postgres'

  /** The e-mail address of an arrival, if the provider may speak for it. @throws SsoRefusal */
  function trustedEmail({ provider, email, emailVerified }: Arrival): string {
    if (!email?.includes('@') || email.length > 254) throw new SsoRefusal('no_address')
    // Where people register themselves, anybody can enter an address of the company.
    if (emailVerified === false) throw new SsoRefusal('unproven_address', 'email_verified is false')
    if (covers(provider, email)) return email
    if (provider.domain_filter !== null) throw new SsoRefusal('foreign_address')
    if (!emailVerified) throw new SsoRefusal('unproven_address')
    return email
  }

  /** The address of an arrival if the provider may speak for it. */
  const spokenFor = ({ provider, email, emailVerified }: Arrival): string | undefined =>
    email !== undefined && (provider.domain_filter === null ? emailVerified : covers(provider, email))
      ? email
      : undefined

  /** The account of a person who arrives, and whether its password must be asked for before they are linked. */
  async function accountOf(arrival: Arrival): Promise<{ user?: UserRow; email: string; ask: boolean }> {
    const { provider, subject } = arrival
    const identity = await findIdentity(read, provider.id, subject)
    const linked = identity && (await accounts.find(identity.user_id))
    if (linked) return { user: linked, email: linked.email, ask: false }
    const email = trustedEmail(arrival)
    const user = await findUserByEmail(read, email)
    if (!user) return { email, ask: false }
    if (await findIdentityOf(read, provider.id, user.id)) throw new SsoRefusal('other_identity')
    // A person who signed up for the provider of the domain, or was provisioned for it, has no password. Everybody else
    // gives theirs, once.
    const isOfDomain = user.sso_enabled === 1 && user.email_verified === 1 && covers(provider, email)
    const ask = !isOfDomain || user.admin === 1
    return { user, email, ask }
  }

  async function makeAccount(tx: Tx, arrival: Arrival, email: string, passwordHash: string, address: string) {
    const username = (await firstFreeUsername(tx, usernamesFor({ username: arrival.username, email })))!
    const name = personName(arrival.name, username)
    const user = await accounts.create(tx, { username, name, email, passwordHash, admin: false, sso: true })
    await audit.record(tx, actorFor(user, address), 'account.register', userScope(user.id), {
      user: userRef(user),
      info: { provider: providerRef(arrival.provider) },
    })
    await deps.invitations.adopt(tx, user)
    return user
  }

  /** Links an account, if it is not, and marks it as one that signs in through a provider. */
  async function link(tx: Tx, arrival: Arrival, email: string, before: UserRow, address: string) {
    const { provider, subject } = arrival
    const now = clock.now()
    const isNew = (await findIdentity(tx, provider.id, subject)) === undefined
    await keepIdentity(tx, {
      provider_id: provider.id,
      subject,
      user_id: before.id,
      created_at: now,
      last_sign_in_at: now,
    })
    // A directory may have given the account an address since, which this provider does not speak for.
    const proves = loginKey(isNew ? email : (spokenFor(arrival) ?? '')) === before.email_key
    const email_verified = proves ? 1 : before.email_verified
    if (!before.sso_enabled || email_verified !== before.email_verified)
      await updateUser(tx, before.id, { sso_enabled: 1, email_verified, updated_at: now })
    if (proves && !before.email_verified) await deps.invitations.adopt(tx, { ...before, email_verified: 1 })
    if (isNew)
      await audit.record(tx, actorFor(before, address), 'account.sso-linked', userScope(before.id), {
        user: userRef(before),
        info: { provider: providerRef(provider) },
      })
  }

  /** Keeps a linking that waits for the password; its token. */
  async function askPassword(arrival: Arrival, user: UserRow, address: string): Promise<string> {
    const token = newToken('ffsl')
    await database.transact(async (tx) => {
      await insertLink(tx, {
        token_hash: hashToken(token),
        provider_id: arrival.provider.id,
        subject: arrival.subject,
        user_id: user.id,
        return_to: ownPath(arrival.returnTo),
        expires_at: clock.now() + linkMs,
      })
      await keepSignIn(tx, clock, arrival, { result: 'linking', address, userId: user.id })
    })
    return token
  }

  /** Links the account and opens its session, or begins its second step, unless the provider has asked for one. */
  async function enter(
    arrival: Arrival,
    found: { user?: UserRow; email: string },
    caller: Caller,
    former?: Actor,
  ): Promise<SignIn> {
    const { provider } = arrival
    const { address } = caller
    const passwordHash = found.user ? '' : await hashPassword(newToken('ffso'))
    const needsStep = found.user?.second_factor === 1 && !optionsOf(provider).skipSecondFactor
    const entered = await database.transact(async (tx) => {
      const user = found.user
        ? await lockUser(tx, found.user.id, postgres)
        : await makeAccount(tx, arrival, found.email, passwordHash, address)
      // The person may have been suspended, or deleted, while the provider was asked.
      if (!user || user.suspended) throw new SsoRefusal(user ? 'user_suspended' : 'unknown_sso_user')
      await link(tx, arrival, found.email, user, address)
      const created = found.user === undefined
      const result = needsStep ? 'step' : 'signed-in'
      // Before the session opens: what ends with the right of an administrator is not that session.
      const applied = await deps.ssoRules.apply(tx, arrival, user, address)
      await keepSignIn(tx, clock, arrival, { result, address, userId: user.id, created, applied })
      const opened = needsStep
        ? undefined
        : await accounts.open(tx, user, caller, former, { provider: providerRef(provider) })
      return { user, opened, created }
    })
    if (entered.created && (await deps.settings.all())['user:team:auto-create'])
      await deps.registrations.giveTeam(actorFor(entered.user, address))
    return entered.opened ?? { step: (await deps.steps.begin(entered.user, { byProvider: true }))! }
  }

  async function attempt(arrival: Arrival, caller: Caller, former?: Actor): Promise<SignIn | { link: string }> {
    const found = await accountOf(arrival)
    if (found.user?.suspended) throw new SsoRefusal('user_suspended')
    if (found.user && found.ask) return { link: await askPassword(arrival, found.user, caller.address) }
    const may = optionsOf(arrival.provider).createAccounts ?? false
    if (!found.user && !may && !(await deps.invitations.isInvited(found.email)))
      throw new SsoRefusal('unknown_sso_user')
    return enter(arrival, found, caller, former)
  }

  /** Keeps a refused sign-in, for its provider and in the audit log. */
  async function refuse(
    arrival: Pick<Arrival, 'provider'> & Partial<Arrival>,
    refusal: SsoRefusal,
    address: string,
  ): Promise<void> {
    const user = arrival.email?.includes('@') ? await findUserByEmail(read, arrival.email) : undefined
    await database.transact(async (tx) => {
      const { reason, detail, message } = refusal
      await keepSignIn(tx, clock, arrival, { result: 'refused', reason, detail, address, userId: user?.id })
      await audit.record(tx, { kind: 'anonymous', address }, 'account.login', userScope(user?.id ?? 'unknown'), {
        ...(user ? { user: userRef(user) } : {}),
        info: { provider: providerRef(arrival.provider) },
        error: { code: reason, message },
      })
    })
  }

  let unknown = { since: 0, count: 0 }

  return {
    refuse,

    /** Notes for administrators that an answer came whose issuer is no provider here, or that names none. */
    async refuseUnknown(issuer: string | undefined, { reason, message }: SsoRefusal, address: string): Promise<void> {
      const now = clock.now()
      if (now - unknown.since > hourMs) unknown = { since: now, count: 0 }
      unknown.count += 1
      if (unknown.count > unknownMost) return
      await database.transact(async (tx) =>
        audit.record(tx, { kind: 'anonymous', address }, 'account.login', userScope('unknown'), {
          info: issuer === undefined ? {} : { issuer },
          error: { code: reason, message },
        }),
      )
    },

    /** Ends the sign-in of somebody whom a provider has vouched for. Refusals are kept and returned, not thrown. */
    async complete(arrival: Arrival, caller: Caller, former?: Actor): Promise<SsoOutcome> {
      const returnTo = ownPath(arrival.returnTo)
      try {
        const first = attempt(arrival, caller, former)
        // The slower of two first sign-ins at once finds the account that the other has made. A team or an application
        // may have been deleted while rules gave a role there.
        const result = await first.catch(async (error: unknown) => {
          if (brokenRule(error) === undefined) throw error
          return attempt(arrival, caller, former)
        })
        return { ...result, returnTo }
      } catch (error) {
        if (!(error instanceof SsoRefusal)) throw error
        await refuse(arrival, error, caller.address)
        return { refused: error, returnTo }
      }
    },

    /** The same once the password of the account was right: nothing more is asked before it is linked. */
    enter: async (arrival: Arrival, user: UserRow, caller: Caller, former?: Actor): Promise<SignIn> =>
      enter(arrival, { user, email: user.email }, caller, former),
  }
}

const providerRef = ({ id, name }: ProviderRow) => ({ id, name })
