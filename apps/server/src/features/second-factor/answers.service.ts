import type { PasskeyAssertion } from '@app/contract'
import type { Clock } from '../../platform/clock.ts'
import type { Vault } from '../../platform/crypto.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Tx } from '../../platform/db/tables.ts'
import { fail } from '../../platform/http/failure.ts'
import { addressGroup } from '../../platform/proxy/index.ts'
import { createLimiter, type Guesser } from '../account/index.ts'
import { stepOf } from './app-codes.ts'
import type { Passkeys } from './passkeys.service.ts'
import { hashRecoveryCode } from './recovery-codes.ts'
import { findApp, usePasskey, useRecoveryCode, useStep } from './second-factor.store.ts'

/** The answer of a person who is asked for a second factor. */
export interface Answer {
  code?: string | undefined
  passkey?: PasskeyAssertion | undefined
}
export type Method = 'app' | 'passkey' | 'recovery'

/** A right answer: uses it up, which only the first of several at once can. */
interface Hit {
  method: Method
  use(tx: Tx): Promise<boolean>
}

const window = 15 * 60_000
/** With three codes valid at a time, 480 guesses a day hit once in two years; the password must be known before. */
const mostPerAccount = 5
const mostPerAddress = 30

/** Ties a sealed secret to the user whose app it is for. */
export const secretContext = (userId: string) => `second-factor:${userId}`

export type Answers = ReturnType<typeof createAnswers>

/** Judges answers. Guesses are counted before they are judged. */
export function createAnswers(deps: { database: Database; clock: Clock; vault: Vault; passkeys: Passkeys }) {
  const { database, clock, vault, passkeys } = deps
  const limiter = createLimiter(() => clock.now(), window)

  async function byApp(userId: string, code: string): Promise<Hit | undefined> {
    const row = await findApp(database.read, userId, 1)
    const now = clock.now()
    const step = row && stepOf(vault.open(row.secret!, secretContext(userId)), code, now)
    return step === undefined ? undefined : { method: 'app', use: (tx) => useStep(tx, row!.id, step, now) }
  }

  async function judge(userId: string, purpose: 'prove' | 'sign-in', answer: Answer): Promise<Hit | undefined> {
    if (answer.passkey) {
      const found = await passkeys.answered(userId, purpose, answer.passkey)
      const now = clock.now()
      return found && { method: 'passkey', use: (tx) => usePasskey(tx, found, now) }
    }
    const code = (answer.code ?? '').replace(/[\s-]/g, '')
    if (/^\d{6}$/.test(code)) return byApp(userId, code)
    return { method: 'recovery', use: (tx) => useRecoveryCode(tx, userId, hashRecoveryCode(code)) }
  }

  return {
    /**
     * Uses up a right answer and does, in the same transaction, what it was given for.
     * @throws Failure too_many_requests with the seconds to wait as `retryAfter`; invalid_code.
     */
    async accept<T>(
      asked: { userId: string; by: Guesser; purpose: 'prove' | 'sign-in' },
      answer: Answer,
      work: (tx: Tx, method: Method) => Promise<T>,
    ): Promise<T> {
      const { by } = asked
      const first = `factor:${'own' in by ? by.own : by.account}`
      const byAddress = 'own' in by ? undefined : `address:${addressGroup(by.address)}`
      await database.transact(async (tx) => {
        const seconds = await limiter.take(tx, [
          { key: first, most: mostPerAccount },
          ...(byAddress ? [{ key: byAddress, most: mostPerAddress }] : []),
        ])
        if (seconds > 0) throw fail('too_many_requests', undefined, { retryAfter: seconds })
      })
      const hit = await judge(asked.userId, asked.purpose, answer)
      const done =
        hit &&
        (await database.transact(async (tx) => {
          if (!(await hit.use(tx))) return undefined
          await limiter.clear(tx, first)
          if (byAddress) await limiter.giveBack(tx, byAddress)
          return { result: await work(tx, hit.method) }
        }))
      if (!done) throw fail('invalid_code', undefined, { field: answer.passkey ? 'passkey' : 'code' })
      return done.result
    },
  }
}
