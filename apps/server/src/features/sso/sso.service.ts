import {
  optionNames,
  type PageQuery,
  type SsoOptions,
  type SsoOptionsPatch,
  ssoOptions,
  type SsoProvider,
  type SsoProviderCreate,
  type SsoProviderPatch,
  type SsoSignIn,
} from '@app/contract'
import type { Actor } from '../../platform/authz/actor.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Vault } from '../../platform/crypto.ts'
import { type Database, whenBroken } from '../../platform/db/database.ts'
import { pageOf } from '../../platform/db/page.ts'
import { flag } from '../../platform/db/tables.ts'
import { fail, Failure } from '../../platform/http/failure.ts'
import { newId } from '../../platform/ids.ts'
import { type Audit, changes, platformScope } from '../audit/index.ts'
import { listSignIns } from './sign-ins.store.ts'
import {
  findProvider,
  insertProvider,
  isDomainTaken,
  listProviders,
  lockProvider,
  type ProviderRow,
  updateProvider,
} from './sso.store.ts'
import { optionsOf, providerView, secretsOf, signInView } from './sso.view.ts'

/** Ties a sealed secret to its provider and its name. */
export const secretContext = (id: string, name: string): string => `sso:${id}:${name}`

export interface SsoDependencies {
  database: Database
  clock: Clock
  audit: Audit
  vault: Vault
  baseUrl: string
  /** Finds the options that their protocol could not work with. */
  judge(row: ProviderRow): OptionFaults
}

/** Options that cannot stay so, each with a sentence. */
export type OptionFaults = Readonly<Record<string, string>>

export type Sso = ReturnType<typeof createSso>

const listLimit = 200
/** Certificates are long, and secrets are nobody's; the log says only that they changed. */
const unshown = ['cert', 'nextCert']

/** The domain as it is stored. */
const domainOf = (filter: string | null | undefined): string | null =>
  filter ? `@${filter.replace(/^@/, '').toLowerCase()}` : null

/** Providers of single sign-on, as administrators see and change them. */
export function createSso({ database, clock, audit, vault, baseUrl, judge }: SsoDependencies) {
  const { read } = database
  const view = (row: ProviderRow) => providerView(row, baseUrl)

  async function find(id: string): Promise<ProviderRow> {
    const row = await findProvider(read, id)
    if (!row) throw fail('not_found')
    return row
  }

  /** The fault of its email domain, if it has one. */
  async function faultOfDomain(row: Pick<ProviderRow, 'id' | 'type' | 'domain_filter'>): Promise<string | undefined> {
    if (row.domain_filter !== null) return (await isDomainTaken(read, row.domain_filter, row.id)) ? isTaken : undefined
    // The address of somebody in a directory counts only as one of its domain.
    return row.type === 'oidc' ? undefined : 'Enter the email domain of this provider'
  }

  /** @throws Failure invalid_request that names every field at fault. */
  async function check(row: ProviderRow): Promise<void> {
    const domainFilter = await faultOfDomain(row)
    const options = Object.entries(judge(row)).map(([name, sentence]) => [`options.${name}`, sentence] as const)
    const faults = [...(domainFilter === undefined ? [] : [['domainFilter', domainFilter] as const]), ...options]
    const [first] = faults
    if (first) throw new Failure('invalid_request', first[1], 400, { fields: Object.fromEntries(faults) })
  }
  const isTaken = 'Another provider has this email domain'
  const taken = () => fail('invalid_request', isTaken, { field: 'domainFilter' })

  /** Says that a domain is taken where the database noticed: somebody else was faster. */
  async function saying<T>(work: Promise<T>): Promise<T> {
    return work.catch(whenBroken('unique', taken))
  }

  /** The columns that new options make: an empty text takes one away. */
  function withOptions(row: ProviderRow, patch: SsoOptionsPatch): Pick<ProviderRow, 'options' | 'secrets'> {
    const options: Record<string, unknown> = { ...optionsOf(row) }
    const secrets: Record<string, unknown> = { ...secretsOf(row) }
    const secret: readonly string[] = ssoOptions[row.type].secrets
    for (const [name, value] of Object.entries(patch)) {
      if (value === undefined) continue
      if (!optionNames(row.type).includes(name))
        throw fail('invalid_request', `A provider of this type has no option ${name}`, { field: `options.${name}` })
      const into = secret.includes(name) ? secrets : options
      if (value === '') delete into[name]
      else into[name] = into === secrets ? vault.seal(String(value), secretContext(row.id, name)) : value
    }
    return { options: JSON.stringify(options), secrets: JSON.stringify(secrets) }
  }

  /** The fields as the audit log shows them. */
  function shown(row: ProviderRow, patch: SsoOptionsPatch = {}): Record<string, unknown> {
    const options = Object.fromEntries(
      Object.entries(optionsOf(row)).map(([name, value]) => [
        `options.${name}`,
        unshown.includes(name) ? 'a certificate' : value,
      ]),
    )
    const renewed = Object.keys(patch).filter((name) => unshown.includes(name) || name in secretsOf(row))
    return {
      name: row.name,
      domainFilter: row.domain_filter,
      active: row.active === 1,
      ...options,
      ...Object.fromEntries(renewed.map((name) => [`options.${name}`, 'a new value'])),
    }
  }

  return {
    async list({ query, search, ...page }: PageQuery) {
      const text = (query ?? search ?? '').trim()
      const portion = { ...page, limit: page.limit ?? listLimit }
      const { rows, ...list } = await pageOf(portion, async (part) => listProviders(read, { ...part, text }))
      return { ...list, providers: rows.map(view) }
    },

    get: async (id: string): Promise<SsoProvider> => view(await find(id)),

    /** The provider's row with its options, for the protocols. */
    async read(id: string): Promise<{ row: ProviderRow; options: SsoOptions } | undefined> {
      const row = await findProvider(read, id)
      return row && { row, options: optionsOf(row) }
    },

    /** A secret option of a provider, opened; undefined when it is not set. */
    secret(row: ProviderRow, name: string): string | undefined {
      const sealed = secretsOf(row)[name]
      return sealed === undefined ? undefined : vault.open(sealed, secretContext(row.id, name))
    },

    /**
     * Keeps secrets that the platform makes itself, unless another server was faster. Returns the row with what is
     * kept.
     */
    async keepSecrets(id: string, made: Record<string, string>): Promise<ProviderRow> {
      return database.transact(async (tx) => {
        const row = await lockProvider(tx, id, database.kind === 'postgres')
        if (!row) throw fail('not_found')
        const sealed = Object.entries(made).map(([name, value]) => [name, vault.seal(value, secretContext(id, name))])
        const secrets = JSON.stringify({ ...Object.fromEntries(sealed), ...secretsOf(row) })
        await updateProvider(tx, id, { secrets })
        return { ...row, secrets }
      })
    },

    /** Creates an inactive provider without options (ASSO-10). @throws Failure invalid_request */
    async create(actor: Actor, { name, domainFilter, type = 'saml' }: SsoProviderCreate): Promise<SsoProvider> {
      const now = clock.now()
      const row: ProviderRow = {
        id: newId(),
        name,
        type,
        domain_filter: domainOf(domainFilter),
        active: 0,
        options: '{}',
        secrets: '{}',
        created_at: now,
        updated_at: now,
        deleted_at: null,
      }
      await check(row)
      const made = database.transact(async (tx) => {
        await insertProvider(tx, row)
        await audit.record(tx, actor, 'platform.sso.provider.created', platformScope, { info: { id: row.id, name } })
      })
      await saying(made)
      return view(row)
    },

    /** Changes what the patch names. @throws Failure not_found, invalid_request */
    async update(actor: Actor, id: string, patch: SsoProviderPatch): Promise<SsoProvider> {
      const before = await find(id)
      const { name, domainFilter, active, options } = patch
      const after: ProviderRow = {
        ...before,
        ...(name === undefined ? {} : { name }),
        ...(domainFilter === undefined ? {} : { domain_filter: domainOf(domainFilter) }),
        ...(active === undefined ? {} : { active: flag(active) }),
        ...(options === undefined ? {} : withOptions(before, options)),
        updated_at: clock.now(),
      }
      await check(after)
      const updates = changes(shown(before), shown(after, options))
      const { id: _id, created_at: _at, ...change } = after
      const saved = database.transact(async (tx) => {
        await updateProvider(tx, id, change)
        const info = { id, name: after.name }
        await audit.record(tx, actor, 'platform.sso.provider.updated', platformScope, { info, updates })
      })
      await saying(saved)
      return view(after)
    },

    /** The last sign-ins through a provider, newest first. @throws Failure not_found */
    async signIns(id: string): Promise<SsoSignIn[]> {
      await find(id)
      return (await listSignIns(read, id)).map(signInView)
    },
  }
}
