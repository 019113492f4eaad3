import type { Actor } from '../../../platform/authz/actor.ts'
import type { Database } from '../../../platform/db/database.ts'
import { fail } from '../../../platform/http/failure.ts'
import { type Caller, type Guesses, loginKey, type SignIn } from '../../account/index.ts'
import type { SsoDomains } from '../domains.service.ts'
import type { Arrival, SsoSignIns } from '../sign-in.service.ts'
import { SsoRefusal } from '../sso.refusal.ts'
import type { Sso } from '../sso.service.ts'
import { listActiveProviders, type ProviderRow } from '../sso.store.ts'
import { optionsOf } from '../sso.view.ts'
import { type DirectoryPerson, findPerson, provesPerson } from './ldap.client.ts'

export interface LdapDependencies {
  database: Database
  guesses: Guesses
  sso: Pick<Sso, 'secret'>
  ssoDomains: Pick<SsoDomains, 'isOn'>
  ssoSignIns: Pick<SsoSignIns, 'complete' | 'refuse'>
}

export type Ldap = ReturnType<typeof createLdap>

const loopback: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/** Refuses options of LDAP that could not work, or would send passwords in the clear. @throws Failure invalid_request */
export function judgeLdap(row: ProviderRow): void {
  const { ldapUrl, startTls, userFilter, groupsFilter, baseDn } = optionsOf(row)
  const refuse = (field: string, sentence: string) => {
    throw fail('invalid_request', sentence, { field: `options.${field}` })
  }
  if (userFilter && !userFilter.includes('{username}'))
    refuse('userFilter', 'The filter must contain {username}, where the name is filled in')
  if (groupsFilter && !groupsFilter.includes('{dn}'))
    refuse('groupsFilter', 'The filter must contain {dn}, where the entry of the person is filled in')
  if (ldapUrl?.startsWith('ldap:') && !startTls && !loopback.includes(new URL(ldapUrl).hostname))
    refuse('ldapUrl', 'Use ldaps, or STARTTLS: otherwise passwords travel in the clear')
  if (!row.active) return
  if (!ldapUrl) refuse('ldapUrl', 'Enter the address of the directory before you activate it')
  if (!baseDn) refuse('baseDn', 'Enter where people are searched before you activate it')
}

/** Signing in with the user name and password of a directory, which are typed into our own form. */
export function createLdap({ database, guesses, sso, ssoDomains, ssoSignIns }: LdapDependencies) {
  const look = async (row: ProviderRow, username: string): Promise<DirectoryPerson | undefined> =>
    findPerson(optionsOf(row), sso.secret(row, 'bindPassword'), username)

  async function arrive(row: ProviderRow, login: string, password: string): Promise<Omit<Arrival, 'provider'>> {
    const person = await look(row, login)
    if (!person || !(await provesPerson(optionsOf(row), person.dn, password))) throw new SsoRefusal('wrong_password')
    const { dn: _dn, ...rest } = person
    return rest
  }

  function failureOf({ reason, message }: SsoRefusal) {
    if (reason === 'wrong_password') return fail('unauthorized')
    if (reason === 'user_suspended') return fail('user_suspended')
    return fail('sso_required', message, { field: 'username' })
  }

  return {
    /** The active directory that knows somebody by this user name; undefined when none does. */
    async knowing(login: string): Promise<ProviderRow | undefined> {
      if (!(await ssoDomains.isOn())) return undefined
      const rows = (await listActiveProviders(database.read)).filter(({ type }) => type === 'ldap')
      const asked = rows.map(async (row) => {
        // One directory that does not answer must not keep out the people of another.
        const person = await look(row, login).catch(() => undefined)
        return person && row
      })
      return (await Promise.all(asked)).find((row) => row !== undefined)
    },

    /**
     * Signs somebody in with the password that the directory has for them. Guesses are bounded as for our own passwords.
     * @throws Failure unauthorized, user_suspended, too_many_requests, or sso_required with the reason.
     */
    async signIn(
      row: ProviderRow,
      login: string,
      password: string,
      caller: Caller,
      former: Actor,
    ): Promise<SignIn | { link: string }> {
      const guess = await guesses.guess({ account: `ldap:${row.id}:${loginKey(login)}`, address: caller.address })
      let arrival: Omit<Arrival, 'provider'>
      try {
        arrival = await arrive(row, login, password)
      } catch (error) {
        if (!(error instanceof SsoRefusal)) throw error
        await ssoSignIns.refuse({ provider: row, sent: { username: login } }, error, caller.address)
        throw failureOf(error)
      }
      await database.transact((tx) => guess.right(tx))
      const outcome = await ssoSignIns.complete({ ...arrival, provider: row }, caller, former)
      if ('refused' in outcome) throw failureOf(outcome.refused)
      return outcome
    },
  }
}
