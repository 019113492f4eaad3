import type { ScimToken, ScimTokenCreate } from '@app/contract'
import type { Actor, Program } from '../../platform/authz/actor.ts'
import type { CallerRules } from '../../platform/authz/callers.ts'
import { type Clock, iso } from '../../platform/clock.ts'
import { hashToken, newToken } from '../../platform/crypto.ts'
import type { Database } from '../../platform/db/database.ts'
import { flag } from '../../platform/db/tables.ts'
import { fail } from '../../platform/http/failure.ts'
import { newId } from '../../platform/ids.ts'
import { type Audit, platformScope } from '../audit/index.ts'
import type { ProviderRow, Sso } from '../sso/index.ts'
import {
  type BoundToken,
  deleteScimToken,
  findScimToken,
  insertScimToken,
  listScimTokens,
  type ScimTokenRow,
  touchScimToken,
} from './scim-tokens.store.ts'

/** The provider for whose domain a token speaks. */
type TokenProvider = Pick<ProviderRow, 'id' | 'name' | 'domain_filter'>

declare module '../../platform/authz/actor.ts' {
  interface Programs {
    /** The directory of a company, by its SCIM token. */
    scim: { tokenId: string; name: string; directory: string; adopts: boolean; provider: TokenProvider | null }
  }
}

export type Provisioner = Program<'scim'>

/** When a token was used last is exact to a minute. */
const touchEvery = 60_000

/** A directory calls SCIM alone, which judges it itself. */
export const scimCaller: CallerRules<'scim'> = {
  judge(_actor, { target }) {
    if (target !== 'platform' && target !== 'self') throw fail('not_found')
    throw fail('unauthorized', undefined, { status: 403 })
  },
}

/** Is this a SCIM token, good or not? */
export const isScimToken = (bearer: string | undefined): bearer is string => bearer?.startsWith('ffscim_') ?? false

const providerOf = ({ provider_id: id, provider_name: name, provider_domain }: BoundToken): TokenProvider | null =>
  id === null || name === null ? null : { id, name, domain_filter: provider_domain }

const providerView = (one: TokenProvider | null): ScimToken['provider'] =>
  one && { id: one.id, name: one.name, domainFilter: one.domain_filter }

const tokenView = (row: BoundToken): ScimToken => ({
  id: row.id,
  name: row.name,
  directory: row.directory,
  adoptExisting: row.adopts === 1,
  provider: providerView(providerOf(row)),
  createdAt: iso(row.created_at),
  expiresAt: row.expires_at === null ? null : iso(row.expires_at),
  lastUsedAt: row.last_used_at === null ? null : iso(row.last_used_at),
})

export type ScimTokens = ReturnType<typeof createScimTokens>

/** The tokens of directories: random, stored as hashes, shown once. */
export function createScimTokens(deps: { database: Database; clock: Clock; audit: Audit; sso: Pick<Sso, 'read'> }) {
  const { database, clock, audit, sso } = deps

  /** @throws Failure invalid_request for a provider that speaks for no domain. */
  async function providerNamed(id: string | null | undefined): Promise<TokenProvider | null> {
    if (!id) return null
    const provider = (await sso.read(id))?.row
    const field = { field: 'provider' }
    if (!provider) throw fail('invalid_request', 'There is no such provider', field)
    if (provider.domain_filter === null)
      throw fail('invalid_request', 'This provider has no email domain. Choose one that has, or none', field)
    return provider
  }

  return {
    list: async (): Promise<ScimToken[]> => (await listScimTokens(database.read)).map(tokenView),

    /** @throws Failure invalid_request for a time that has passed, or a provider without a domain. */
    async create(actor: Actor, body: ScimTokenCreate): Promise<ScimToken & { token: string }> {
      const expires = body.expiresAt === null ? null : Date.parse(body.expiresAt)
      if (expires !== null && expires <= clock.now())
        throw fail('invalid_request', 'Choose a time in the future', { field: 'expiresAt' })
      const provider = await providerNamed(body.provider)
      const token = newToken('ffscim')
      const row: ScimTokenRow = {
        id: newId(),
        name: body.name,
        directory: body.directory,
        token_hash: hashToken(token),
        adopts: flag(body.adoptExisting ?? false),
        created_at: clock.now(),
        expires_at: expires,
        provider_id: provider?.id ?? null,
        last_used_at: null,
      }
      const info = {
        id: row.id,
        name: row.name,
        directory: row.directory,
        adoptExisting: row.adopts === 1,
        provider: provider && { id: provider.id, name: provider.name },
      }
      await database.transact(async (tx) => {
        await insertScimToken(tx, row)
        await audit.record(tx, actor, 'platform.scim-token.created', platformScope, { info })
      })
      const names = { provider_name: provider?.name ?? null, provider_domain: provider?.domain_filter ?? null }
      return { ...tokenView({ ...row, ...names }), token }
    },

    /** @throws Failure not_found */
    async remove(actor: Actor, id: string): Promise<void> {
      await database.transact(async (tx) => {
        const row = await deleteScimToken(tx, id)
        if (!row) throw fail('not_found')
        const info = { id, name: row.name, directory: row.directory }
        await audit.record(tx, actor, 'platform.scim-token.deleted', platformScope, { info })
      })
    },

    /** The directory that a bearer token speaks for; undefined when it is unknown or has expired. */
    async actorOf(token: string, address: string): Promise<Provisioner | undefined> {
      const row = await findScimToken(database.read, hashToken(token))
      const now = clock.now()
      if (!row || (row.expires_at !== null && row.expires_at <= now)) return undefined
      if ((row.last_used_at ?? 0) + touchEvery <= now) await touchScimToken(database.read, row.id, now)
      const { id: tokenId, name, directory } = row
      return { kind: 'scim', tokenId, name, directory, adopts: row.adopts === 1, provider: providerOf(row), address }
    },
  }
}
