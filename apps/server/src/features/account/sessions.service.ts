import type { UserActor } from '../../platform/authz/actor.ts'
import type { Clock } from '../../platform/clock.ts'
import { hashToken, newToken } from '../../platform/crypto.ts'
import type { Database } from '../../platform/db/database.ts'
import { troubleOf } from '../../platform/db/trouble.ts'
import { flag, type Tx } from '../../platform/db/tables.ts'
import { newId } from '../../platform/ids.ts'
import { lacksSecondFactor } from '../settings/index.ts'
import { lacksProof } from './account.store.ts'
import { deleteSessions, findSession, insertSession, touchSession } from './sessions.store.ts'

const day = 24 * 3_600_000
/** A session ends 7 days after sign-in, and after 32 hours in which nobody used it (docs/specification/calls.md). */
export const sessionLife = { absolute: 7 * day, idle: 32 * 3_600_000 }
/** Time after which people prove again who they are, before anything that an open browser must not give away. */
export const proofLife = 15 * 60_000
const touchEvery = 5 * 60_000

export interface Caller {
  address: string
  userAgent: string
  /** The cookie of a browser in which somebody has signed in before. */
  browser?: string | undefined
}

/** The result of a sign-in for the browser: the session, and the cookie by which it is known again. */
export interface Opened {
  token: string
  browser: string
}

export interface Sessions {
  /** Opens a session and returns its token, which is stored only as a hash. */
  open(tx: Tx, userId: string, caller: Caller, options?: { byProvider: boolean }): Promise<string>
  /** Ends all sessions of a person. */
  endAll(tx: Tx, userId: string): Promise<void>
  /** The user behind a session token; undefined when it is unknown, expired, idle for too long, or the user is suspended. */
  actorOf(token: string, address: string): Promise<UserActor | undefined>
}

export function createSessions({ database, clock }: { database: Database; clock: Clock }): Sessions {
  return {
    async open(tx, userId, { address, userAgent }, { byProvider } = { byProvider: false }) {
      const token = newToken('ffs')
      const now = clock.now()
      await insertSession(tx, {
        id: newId(),
        user_id: userId,
        token_hash: hashToken(token),
        address,
        user_agent: userAgent.slice(0, 300),
        created_at: now,
        last_seen_at: now,
        expires_at: now + sessionLife.absolute,
        proven_at: now,
        by_provider: flag(byProvider),
      })
      return token
    },
    endAll: async (tx, userId) => deleteSessions(tx, userId),
    async actorOf(token, address) {
      const row = await findSession(database.read, hashToken(token))
      const now = clock.now()
      if (!row || row.expires_at <= now || row.last_seen_at + sessionLife.idle <= now) return undefined
      if (row.last_seen_at + touchEvery <= now)
        await touchSession(database.read, row.id, now).catch((error: unknown) => {
          // Reading goes on where nothing can be written.
          if (!troubleOf(error)) throw error
        })
      return {
        kind: 'user',
        userId: row.user_id,
        username: row.username,
        name: row.name,
        admin: row.admin === 1,
        locked: (row.password_expired === 1 && row.by_provider === 0) || lacksProof(row) || lacksSecondFactor(row),
        ...(row.by_provider === 1 ? { byProvider: true } : {}),
        lacksSecondFactor: lacksSecondFactor(row),
        via: { session: row.id },
        address,
      }
    },
  }
}
