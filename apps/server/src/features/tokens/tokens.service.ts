import { scopesOf } from './tokens.view.ts'
import type { Actor } from '../../platform/authz/actor.ts'
import type { Clock } from '../../platform/clock.ts'
import { hashToken, newToken } from '../../platform/crypto.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Tx } from '../../platform/db/tables.ts'
import type { Sweep } from '../../platform/sweeper.ts'
import { lacksProof } from '../account/index.ts'
import { lacksSecondFactor } from '../settings/index.ts'
import { isPersonal, isWhole } from './personal-token.ts'
import { tokenRow } from './token-row.ts'
import {
  deleteEditorTokensExpiredBefore,
  deleteEditorTokensFor,
  deleteEditorTokensOf,
  deleteToken,
  deleteTokensOf,
  deleteTokensOfInstance,
  deleteTokensOfKind,
  findEditorAddress,
  findEditorToken,
  findRefreshToken,
  findToken,
  insertToken,
  type TokenRow,
  touchToken,
} from './tokens.store.ts'

/** Seconds an editor token lives before it must be refreshed (docs/specification/protocol-instances.md). */
export const editorTokenSeconds = 1_800

/** When a personal token was used last is exact to a minute. */
const touchEvery = 60_000

/** An editor that did not refresh its token for so long, in milliseconds, signs in anew. */
const editorAbsence = 30 * 24 * 3_600_000

/** Pairs of editors that do not come back. */
export const editorTokenSweep: Sweep = (db, now, atMost) =>
  deleteEditorTokensExpiredBefore(db, now - editorAbsence, atMost)

export type EditorGrant = '*' | 'read' | 'http'

/** An editor asks who signed in, and nothing else in the name of that person; its instance has a token of its own. */
const editorScopes = ['user:read'] as const

export type Tokens = ReturnType<typeof createTokens>

/** Bearer tokens: random, stored as hashes, shown once to whom they are for. */
export function createTokens({ database, clock }: { database: Database; clock: Clock }) {
  return {
    /** A new token for an instance; the former stops working. */
    async forInstance(tx: Tx, instance: { id: string; team_id: string }): Promise<string> {
      const token = newToken('fft')
      await deleteTokensOfInstance(tx, instance.id, 'instance')
      await insertToken(tx, {
        ...tokenRow('instance', token, clock.now()),
        instance_id: instance.id,
        team_id: instance.team_id,
      })
      return token
    },

    /** A token that reads the statistics of the platform; the former stops working. */
    async forStatistics(tx: Tx): Promise<string> {
      const token = newToken('ffu')
      await deleteTokensOfKind(tx, 'statistics')
      await insertToken(tx, {
        ...tokenRow('statistics', token, clock.now()),
        scopes: '["platform:stats"]',
      })
      return token
    },
    /** False when there was none. */
    endStatistics: async (tx: Tx): Promise<boolean> => (await deleteTokensOfKind(tx, 'statistics')) > 0,

    /** A pair for a person in the editor of an instance. */
    async forEditor(
      tx: Tx,
      userId: string,
      instanceId: string,
      grant: EditorGrant,
      address: string | null = null,
    ): Promise<{ access: string; refresh: string }> {
      const pair = { access: newToken('ffu'), refresh: newToken('ffur') }
      await insertToken(tx, {
        ...tokenRow('editor', pair.access, clock.now()),
        refresh_hash: hashToken(pair.refresh),
        user_id: userId,
        instance_id: instanceId,
        scopes: JSON.stringify(editorScopes),
        grant_scope: grant,
        expires_at: clock.now() + editorTokenSeconds * 1000,
        address,
      })
      return pair
    },

    /** The person who has the editor of this instance open, by the token that the instance was given for them. */
    async editorOf(token: string, instanceId: string): Promise<{ id: string; mayDeploy: boolean } | undefined> {
      const row = await findToken(database.read, hashToken(token))
      const isGood = row?.kind === 'editor' && row.instance_id === instanceId && (row.expires_at ?? 0) > clock.now()
      if (!isGood || !row.user_id || row.suspended !== 0 || row.grant_scope === 'http') return undefined
      return { id: row.user_id, mayDeploy: row.grant_scope === '*' }
    },

    /** From where this person opened the editor of an instance last. */
    editorAddress: (userId: string, instanceId: string): Promise<string | undefined> =>
      findEditorAddress(database.read, userId, instanceId),

    byRefresh: async (token: string): Promise<TokenRow | undefined> =>
      findRefreshToken(database.read, hashToken(token)),
    /** The newest token of a person in the editor of an instance. */
    ofEditor: async (instanceId: string, username: string): Promise<TokenRow | undefined> =>
      findEditorToken(database.read, instanceId, username),
    /** Uses a token up; false when somebody was faster. */
    consume: async (tx: Tx, id: string): Promise<boolean> => deleteToken(tx, id),
    /** Ends every token of a person, personal ones as well. */
    endAll: async (tx: Tx, userId: string): Promise<void> => deleteTokensOf(tx, userId),
    /** Ends all editor tokens of a person; returns the instances they were for, each once. */
    endEditorSessions: async (tx: Tx, userId: string): Promise<string[]> => [
      ...new Set(await deleteEditorTokensOf(tx, userId)),
    ],
    /** Ends the tokens of these people for the editor of one instance; returns whose there were. */
    endEditorSessionsIn: async (tx: Tx, instanceId: string, userIds: readonly string[]): Promise<Set<string>> =>
      new Set(await deleteEditorTokensFor(tx, userIds, instanceId)),

    /** The actor a bearer token speaks for; undefined when it is unknown, expired, or its user is suspended. */
    async actorOf(token: string, address: string): Promise<Actor | undefined> {
      if (isPersonal(token) && !isWhole(token)) return undefined
      const row = await findToken(database.read, hashToken(token))
      const now = clock.now()
      if (!row || (row.expires_at !== null && row.expires_at <= now)) return undefined
      if (row.kind === 'instance' && row.instance_id && row.team_id) {
        return { kind: 'instance', instanceId: row.instance_id, teamId: row.team_id, address }
      }
      if (row.kind === 'statistics') return { kind: 'statistics', address }
      if (!row.user_id || row.suspended !== 0 || row.username === null || row.name === null) return undefined
      const personal = row.kind === 'personal' && row.token_name !== null ? { name: row.token_name } : undefined
      if (personal && (row.last_used_at ?? 0) + touchEvery <= now) await touchToken(database.read, row.id, now)
      return {
        kind: 'user',
        userId: row.user_id,
        username: row.username,
        name: row.name,
        admin: row.admin === 1,
        // A person who signs in through a provider may have no password that could be changed.
        locked: (row.password_expired === 1 && row.sso_enabled !== 1) || lacksProof(row) || lacksSecondFactor(row),
        via:
          row.kind === 'editor'
            ? { token: row.id, scopes: editorScopes, targetId: row.instance_id ?? '' }
            : { token: row.id, scopes: scopesOf(row.scopes, row.id), ...personal },
        address,
      }
    },
  }
}
