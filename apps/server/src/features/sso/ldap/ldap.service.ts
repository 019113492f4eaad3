import type { Actor } from '../../../platform/authz/actor.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { Database } from '../../../platform/db/database.ts'
import { fail } from '../../../platform/http/failure.ts'
import { createPace } from '../../../platform/http/pace.ts'
import { type Browsers, type Caller, type Guesses, loginKey, type SignIn } from '../../account/index.ts'
import { findIdentity, linkedAmong } from '../identities.store.ts'
import type { SsoSignIns } from '../sign-in.service.ts'
import { SsoRefusal } from '../sso.refusal.ts'
import type { OptionFaults, Sso } from '../sso.service.ts'
import { listActiveProviders, type ProviderRow } from '../sso.store.ts'
import { optionsOf } from '../sso.view.ts'
import type { Found } from './ldap.client.ts'

export interface LdapDependencies {
  database: Database
  clock: Clock
  guesses: Guesses
  browsers: Pick<Browsers, 'people' | 'find'>
  sso: Pick<Sso, 'secret'>
  ssoSignIns: Pick<SsoSignIns, 'complete' | 'refuse'>
}

export type Ldap = ReturnType<typeof createLdap>

/** Anybody can type names that nobody has: so many are noted in an hour of a directory, and anew once its options change. */
const unknownMost = 5
const hourMs = 3_600_000

/** One directory that cannot be asked must not keep out the people of another. Other errors go on. */
function refusalIn(error: unknown): Found & { refusal: SsoRefusal } {
  if (error instanceof SsoRefusal) return { missing: error.message, refusal: error }
  throw error
}

/** The client, loaded by the first sign-in that asks a directory. */
const client = () => import('./ldap.client.ts')

const loopback: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/** Faults of options of LDAP that could not work, or would send passwords in the clear. */
export function judgeLdap(row: ProviderRow): OptionFaults {
  const { ldapUrl, startTls, baseDn } = optionsOf(row)
  const inClear = ldapUrl?.startsWith('ldap:') && !startTls && !loopback.includes(new URL(ldapUrl).hostname)
  return {
    ...(inClear ? { ldapUrl: 'Use ldaps, or STARTTLS: otherwise passwords travel in the clear' } : {}),
    ...(row.active && !ldapUrl ? { ldapUrl: 'Enter the address of the directory before you activate it' } : {}),
    ...(row.active && !baseDn ? { baseDn: 'Enter where people are searched before you activate it' } : {}),
  }
}

/** Signing in with the user name and password of a directory, which are typed into our own form. */
export function createLdap({ database, clock, guesses, browsers, sso, ssoSignIns }: LdapDependencies) {
  const unknown = createPace(() => clock.now(), unknownMost, hourMs)
  const look = async (row: ProviderRow, username: string): Promise<Found> =>
    (await client()).findPerson(optionsOf(row), sso.secret(row, 'bindPassword'), username)

  /**
   * Counts a search by whom it is for: browsers of people of the directory have counts of their own, so that strangers at
   * the same address cannot keep them out. Guesses at passwords are counted apart from it.
   */
  async function mayLook(rows: readonly ProviderRow[], { browser, address }: Caller) {
    const people = await browsers.people(browser)
    const linked =
      people.length === 0
        ? undefined
        : await linkedAmong(
            database.read,
            rows.map(({ id }) => id),
            people.map(({ userId }) => userId),
          )
    const own = people.find(({ userId }) => linked?.has(userId))
    return guesses.lookup(own ? { own: `browser:${own.id}` } : { address })
  }

  /**
   * Counts a guess as for our own passwords (decision 43): by the browser where its person signed in before, else by the
   * address, by what was typed, and by the entry, which has a name, an address and more.
   */
  async function guessAt(row: ProviderRow, login: string, subject: string | undefined, { browser, address }: Caller) {
    const identity = subject === undefined ? undefined : await findIdentity(database.read, row.id, subject)
    const known = await browsers.find(identity?.user_id, browser)
    const entry = subject === undefined ? [] : [`ldap-entry:${row.id}:${subject}`]
    const names = [`ldap:${row.id}:${loginKey(login)}`, ...entry]
    return guesses.guess(known ? { own: `browser:${known.id}` } : { names, address })
  }

  function failureOf({ reason, message }: SsoRefusal) {
    if (reason === 'wrong_password') return fail('unauthorized')
    if (reason === 'user_suspended') return fail('user_suspended')
    return fail('sso_required', message, { field: 'username' })
  }

  /** Keeps what a directory refused, and refuses it. Other errors go on. */
  async function refuse(row: ProviderRow, login: string, caller: Caller, error: unknown): Promise<never> {
    if (!(error instanceof SsoRefusal)) throw error
    await ssoSignIns.refuse({ provider: row, sent: { username: login } }, error, caller.address)
    throw failureOf(error)
  }

  /**
   * Keeps why no directory found anybody, without what was typed: it may be a password in the wrong field.
   * @throws Failure where a directory could not be asked, which may have known the name
   */
  async function noteMissing(
    all: readonly (Found & { row: ProviderRow; refusal?: SsoRefusal })[],
    { address }: Caller,
  ): Promise<void> {
    for (const { row, missing, refusal } of all)
      if (refusal || unknown.take(`${row.id} ${row.updated_at}`).wait === 0)
        await ssoSignIns.refuse({ provider: row }, refusal ?? new SsoRefusal('wrong_password', missing), address)
    const failed = all.find(({ refusal }) => refusal !== undefined)
    if (failed?.refusal) throw failureOf(failed.refusal)
  }

  /** Signs in the person who was found, if this is their password. */
  async function finish(
    row: ProviderRow,
    { person, missing }: Found,
    { login, password, caller, former }: { login: string; password: string; caller: Caller; former: Actor },
    giveBack: Awaited<ReturnType<typeof mayLook>>,
  ): Promise<SignIn | { link: string }> {
    const guess = await guessAt(row, login, person?.subject, caller)
    const proves = async () =>
      person !== undefined && (await client()).provesPerson(optionsOf(row), person.dn, password)
    if (!(await proves().catch((error: unknown) => refuse(row, login, caller, error))) || !person)
      return refuse(row, login, caller, new SsoRefusal('wrong_password', missing))
    await database.transact(async (tx) => {
      await giveBack(tx)
      await guess.right(tx)
    })
    const { dn: _dn, ...arrival } = person
    const outcome = await ssoSignIns.complete({ ...arrival, provider: row }, caller, former)
    if ('refused' in outcome) throw failureOf(outcome.refused)
    return outcome
  }

  return {
    /**
     * Signs in somebody whose user name nobody has here, but an active directory may; undefined when none does.
     * @throws Failure as `signIn` does.
     */
    async signInUnknown(
      login: string,
      password: string,
      caller: Caller,
      former: Actor,
    ): Promise<SignIn | { link: string } | undefined> {
      const rows = (await listActiveProviders(database.read)).filter(({ type }) => type === 'ldap')
      if (rows.length === 0) return undefined
      const giveBack = await mayLook(rows, caller)
      const asked = rows.map(async (row) => ({ row, ...(await look(row, login).catch(refusalIn)) }))
      const all = await Promise.all(asked)
      const found = all.find(({ person }) => person !== undefined)
      if (found) return finish(found.row, found, { login, password, caller, former }, giveBack)
      await noteMissing(all, caller)
      return undefined
    },

    /**
     * Signs somebody in with the password that the directory has for them. Searches are bounded by their caller, guesses as
     * for our own passwords.
     * @throws Failure unauthorized, user_suspended, too_many_requests, or sso_required with the reason.
     */
    async signIn(
      row: ProviderRow,
      login: string,
      password: string,
      caller: Caller,
      former: Actor,
    ): Promise<SignIn | { link: string }> {
      const giveBack = await mayLook([row], caller)
      const found = await look(row, login).catch((error: unknown) => refuse(row, login, caller, error))
      return finish(row, found, { login, password, caller, former }, giveBack)
    },
  }
}
