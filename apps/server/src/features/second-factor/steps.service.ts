import type { Clock } from '../../platform/clock.ts'
import { hashToken, newToken } from '../../platform/crypto.ts'
import type { Database } from '../../platform/db/database.ts'
import { type Flag, flag, type Tx } from '../../platform/db/tables.ts'
import { fail } from '../../platform/http/failure.ts'
import { findUser, type UserRow } from '../account/index.ts'
import { deleteStep, findStep, insertStep } from './challenges.store.ts'

/** Milliseconds a sign-in waits for its second step. */
export const stepMs = 10 * 60_000

export type Steps = ReturnType<typeof createSteps>

/** Sign-ins whose password was right, or that a provider vouched for, and that wait for a second factor. */
export function createSteps({ database, clock }: { database: Database; clock: Clock }) {
  return {
    /** The token of a second step for whoever has a factor; undefined for who has none. */
    async begin(
      user: Pick<UserRow, 'id' | 'password_hash' | 'second_factor'>,
      { byProvider } = { byProvider: false },
    ): Promise<string | undefined> {
      if (!user.second_factor) return undefined
      const token = newToken('ffs2')
      const now = clock.now()
      const { id: user_id, password_hash } = user
      const by_provider = flag(byProvider)
      const row = { token_hash: hashToken(token), user_id, password_hash, expires_at: now + stepMs, by_provider }
      await database.transact((tx) => insertStep(tx, row, now))
      return token
    },

    /**
     * The user whose sign-in waits behind this token. @throws Failure unauthorized when there is none, or the
     * password was changed since; user_suspended.
     */
    async userOf(token: string | undefined): Promise<UserRow & { by_provider: Flag }> {
      const step = token ? await findStep(database.read, hashToken(token), clock.now()) : undefined
      const user = step && (await findUser(database.read, step.user_id))
      if (!user || user.password_hash !== step.password_hash) throw fail('unauthorized')
      if (user.suspended) throw fail('user_suspended')
      return { ...user, by_provider: step.by_provider }
    },

    /** @throws Failure unauthorized when the step was answered already. */
    async end(tx: Tx, token: string): Promise<void> {
      if (!(await deleteStep(tx, hashToken(token)))) throw fail('unauthorized')
    },
  }
}
