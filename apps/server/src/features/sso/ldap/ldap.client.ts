import type { SsoOptions } from '@app/contract'
import { Client, type Entry, Filter, InvalidCredentialsError, SizeLimitExceededError } from 'ldapts'
import { isIP } from 'node:net'
import { someGroups } from '../rules/rules.sentences.ts'
import { SsoRefusal } from '../sso.refusal.ts'

/** Milliseconds that the directory has for a connection, and for each answer. */
const patience = { connectTimeout: 5_000, timeout: 10_000 }
/** Groups of one person that are read; more are taken for a mistake in the filter. */
const mostGroups = 10_000

const ids = ['entryUUID', 'objectGUID', 'nsUniqueId', 'ipaUniqueID']
const anyName = '(|(uid={username})(sAMAccountName={username})(userPrincipalName={username})(mail={username}))'

/** The attributes that say who somebody is, each in the order in which they are tried. */
const attributesOf = (options: SsoOptions) => ({
  email: [options.emailAttribute || 'mail'],
  name: options.nameAttribute ? [options.nameAttribute] : ['displayName', 'cn'],
  username: options.usernameAttribute ? [options.usernameAttribute] : ['uid', 'sAMAccountName'],
  groups: [options.groupsAttribute || 'memberOf'],
})

/** Somebody as the directory describes them. */
export interface DirectoryPerson {
  dn: string
  subject: string
  email: string | undefined
  name: string | undefined
  username: string | undefined
  groups: string[] | undefined
  groupsNote?: string
  sent: Record<string, unknown>
}

/** Fills text that somebody typed into a filter, where it can mean nothing but itself (RFC 4515). */
export const filled = (filter: string, name: 'username' | 'dn', value: string): string =>
  filter.replaceAll(`{${name}}`, () => Filter.escape(value))

/** Without the option of an attribute, such as `;binary`, and in whatever case the directory writes its name. */
function valuesOf(entry: Entry, name: string): (string | Buffer)[] {
  const key = Object.keys(entry).find((one) => one.toLowerCase().split(';')[0] === name.toLowerCase())
  return key === undefined || key === 'dn' ? [] : [entry[key]!].flat()
}

const textOf = (entry: Entry, names: readonly string[]): string | undefined =>
  names
    .flatMap((name) => valuesOf(entry, name))
    .map(String)
    .find((value) => value !== '')

function subjectOf(entry: Entry): string {
  const [id] = ids.flatMap((name) => valuesOf(entry, name))
  return id === undefined ? entry.dn : Buffer.isBuffer(id) ? id.toString('hex') : id
}

/** TLS with these options: certificates of public authorities count, or those of the given ones. */
function secured({ ldapUrl = '', ldapCa }: SsoOptions) {
  const host = new URL(ldapUrl).hostname
  return {
    minVersion: 'TLSv1.2' as const,
    ...(isIP(host.replace(/[[\]]/g, '')) ? {} : { servername: host }),
    ...(ldapCa ? { ca: ldapCa } : {}),
  }
}

/** Runs work on a connection of its own: a bind changes for whom a connection speaks, so none is shared. */
async function connected<T>(options: SsoOptions, work: (client: Client) => Promise<T>): Promise<T> {
  const tls = secured(options)
  const isTls = options.ldapUrl!.startsWith('ldaps:')
  const client = new Client({ url: options.ldapUrl!, ...patience, ...(isTls ? { tlsOptions: tls } : {}) })
  try {
    if (!isTls && options.startTls) await client.startTLS(tls)
    return await work(client)
  } catch (error) {
    if (error instanceof SsoRefusal) throw error
    // Its words can name the account that looks people up; they hold no password.
    throw new SsoRefusal('provider_unreachable', (error as Error).message.slice(0, 300))
  } finally {
    await client.unbind().catch(() => undefined)
  }
}

async function bindAsService(client: Client, { bindDn }: SsoOptions, password: string | undefined): Promise<void> {
  if (!bindDn) return
  await client.bind(bindDn, password ?? '').catch((error: unknown) => {
    if (!(error instanceof InvalidCredentialsError)) throw error
    throw new SsoRefusal('provider_refused', 'The directory does not accept the account that looks people up')
  })
}

/** The one person with a user name; or a sentence for administrators, where there is none or more than one. */
export type Found = { person: DirectoryPerson; missing?: undefined } | { person?: undefined; missing: string }

/** Finds the one person with this user name. @throws SsoRefusal */
export async function findPerson(
  options: SsoOptions,
  servicePassword: string | undefined,
  username: string,
): Promise<Found> {
  const names = attributesOf(options)
  return connected(options, async (client) => {
    await bindAsService(client, options, servicePassword)
    const { searchEntries } = await client.search(options.baseDn ?? '', {
      scope: 'sub',
      filter: filled(options.userFilter || anyName, 'username', username),
      attributes: [...ids, ...Object.values(names).flat()],
      explicitBufferAttributes: ['objectGUID'],
      sizeLimit: 2,
      timeLimit: patience.timeout / 1_000,
    })
    const [entry, second] = searchEntries
    if (!entry) return { missing: 'The search found nobody with the name that was typed' }
    if (second) return { missing: 'The search found more than one person with the name that was typed' }
    const named = names.groups.flatMap((name) => valuesOf(entry, name)).map(String)
    const groups = options.groupsBaseDn ? await groupsOf(client, options, entry.dn) : named
    const [email, name, wish] = [names.email, names.name, names.username].map((list) => textOf(entry, list))
    const person = {
      dn: entry.dn,
      subject: subjectOf(entry),
      email,
      name,
      username: wish,
      groups,
      ...(groups ? {} : { groupsNote: someGroups }),
      sent: { dn: entry.dn, email, name, username: wish, groups },
    }
    return { person }
  })
}

/** The groups that a search finds; undefined when the directory gives only a part of them. */
async function groupsOf(client: Client, options: SsoOptions, dn: string): Promise<string[] | undefined> {
  const filter = options.groupsFilter || '(|(member={dn})(uniqueMember={dn}))'
  const pages = client.searchPaginated(options.groupsBaseDn!, {
    scope: 'sub',
    filter: filled(filter, 'dn', dn),
    attributes: ['1.1'],
    paged: { pageSize: 500 },
    timeLimit: patience.timeout / 1_000,
  })
  const groups: string[] = []
  try {
    for await (const { searchEntries } of pages) {
      groups.push(...searchEntries.map((entry) => entry.dn))
      if (groups.length > mostGroups) return undefined
    }
  } catch (error) {
    if (error instanceof SizeLimitExceededError) return undefined
    throw error
  }
  return groups
}

/** Is this the person's password? An empty one never is: directories take it for no name at all. @throws SsoRefusal */
export async function provesPerson(options: SsoOptions, dn: string, password: string): Promise<boolean> {
  if (password === '') return false
  return connected(options, async (client) =>
    client.bind(dn, password).then(
      () => true,
      (error: unknown) => {
        if (error instanceof InvalidCredentialsError) return false
        throw error
      },
    ),
  )
}
