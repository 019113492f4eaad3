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
import {
  deleteScimToken,
  findScimToken,
  insertScimToken,
  listScimTokens,
  type ScimTokenRow,
  touchScimToken,
} from './scim-tokens.store.ts'

declare module '../../platform/authz/actor.ts' {
  interface Programs {
    /** The directory of a company, by its SCIM token. */
    scim: { tokenId: string; name: string; directory: string; adopts: boolean }
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

const tokenView = (row: ScimTokenRow): ScimToken => ({
  id: row.id,
  name: row.name,
  directory: row.directory,
  adoptExisting: row.adopts === 1,
  createdAt: iso(row.created_at),
  expiresAt: row.expires_at === null ? null : iso(row.expires_at),
  lastUsedAt: row.last_used_at === null ? null : iso(row.last_used_at),
})

export type ScimTokens = ReturnType<typeof createScimTokens>

/** The tokens of directories: random, stored as hashes, shown once. */
export function createScimTokens({ database, clock, audit }: { database: Database; clock: Clock; audit: Audit }) {
  return {
    list: async (): Promise<ScimToken[]> => (await listScimTokens(database.read)).map(tokenView),

    /** @throws Failure invalid_request for a time that has passed. */
    async create(actor: Actor, body: ScimTokenCreate): Promise<ScimToken & { token: string }> {
      const expires = body.expiresAt === null ? null : Date.parse(body.expiresAt)
      if (expires !== null && expires <= clock.now())
        throw fail('invalid_request', 'Choose a time in the future', { field: 'expiresAt' })
      const token = newToken('ffscim')
      const row: ScimTokenRow = {
        id: newId(),
        name: body.name,
        directory: body.directory,
        token_hash: hashToken(token),
        adopts: flag(body.adoptExisting ?? false),
        created_at: clock.now(),
        expires_at: expires,
        last_used_at: null,
      }
      const info = { id: row.id, name: row.name, directory: row.directory, adoptExisting: row.adopts === 1 }
      await database.transact(async (tx) => {
        await insertScimToken(tx, row)
        await audit.record(tx, actor, 'platform.scim-token.created', platformScope, { info })
      })
      return { ...tokenView(row), token }
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
      return { kind: 'scim', tokenId, name, directory, adopts: row.adopts === 1, address }
    },
  }
}
