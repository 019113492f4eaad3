import type { UserActor } from '../../platform/authz/actor.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Tx } from '../../platform/db/tables.ts'
import { fail } from '../../platform/http/failure.ts'
import { addressGroup } from '../../platform/proxy/index.ts'
import { createLimiter, type Limit } from './limits.store.ts'

const guessWindow = 15 * 60_000
const mailWindow = 60_000
const most = {
  guessesPerAccount: 10,
  guessesPerAddress: 30,
  lookupsPerBrowser: 10,
  lookupsPerAddress: 30,
  mailsPerAddress: 5,
  resetsPerAccount: 5,
}

/** The same for a name that nobody has. */
const wayIn =
  'Too many wrong passwords. Sign in from a browser that you have used before, reset your password, or wait some minutes'

/**
 * The party that guesses: a stranger at an account from an address, or somebody who presents something only its owner
 * has. The latter's guesses are counted by that alone, so that no stranger can use them up.
 */
export type Guesser = { account: string; address: string } | { own: string }

/** The proof of a signed-in person. */
export const ownOf = ({ via }: UserActor): string =>
  'session' in via ? `session:${via.session}` : `token:${via.token}`

export type Guesses = ReturnType<typeof createGuesses>

/** Bounds on guessing at secrets and on having mail sent (`too_many_requests` in docs/specification/errors.md). */
export function createGuesses({ database, clock }: { database: Database; clock: Clock }) {
  const now = () => clock.now()
  const guesses = createLimiter(now, guessWindow)
  const mails = createLimiter(now, mailWindow)

  async function take(limiter: typeof guesses, limits: readonly Limit[], sentence?: string): Promise<void> {
    const refuse = (seconds: number) => {
      if (seconds > 0) throw fail('too_many_requests', sentence, { retryAfter: seconds })
    }
    refuse(await limiter.wait(database.read, limits))
    await database.transact(async (tx) => refuse(await limiter.take(tx, limits)))
  }

  return {
    /** May one more reset be mailed to this person? At most 5 in 15 minutes, from wherever they are asked for. */
    mayMailReset: async (tx: Tx, userId: string): Promise<boolean> =>
      (await guesses.take(tx, [{ key: `reset:${userId}`, most: most.resetsPerAccount }])) === 0,

    /**
     * Counts a guess at a secret of an account as wrong until it turns out right: by each name of the account, where
     * it has several.
     * @throws Failure too_many_requests, with the seconds to wait as `retryAfter`.
     */
    async guess(by: Guesser | { names: readonly string[]; address: string }) {
      const names = 'account' in by ? [by.account] : 'names' in by ? by.names : []
      const firsts = 'own' in by ? [by.own] : names.map((name) => `account:${name}`)
      const byAddress = 'own' in by ? undefined : `address:${addressGroup(by.address)}`
      const limits = [
        ...firsts.map((key) => ({ key, most: most.guessesPerAccount })),
        ...(byAddress ? [{ key: byAddress, most: most.guessesPerAddress }] : []),
      ]
      await take(guesses, limits, byAddress && wayIn)
      const giveBackAddress = async (tx: Tx) => (byAddress ? guesses.giveBack(tx, byAddress) : undefined)
      return {
        /** It was right: these guesses are forgotten. */
        async right(tx: Tx): Promise<void> {
          await guesses.clear(tx, ...firsts)
          await giveBackAddress(tx)
        },
        /** It was right, but more is asked for before it counts. */
        async rightSoFar(tx: Tx): Promise<void> {
          await guesses.giveBack(tx, ...firsts)
          await giveBackAddress(tx)
        },
      }
    },

    /**
     * Counts a search in a directory outside, by its caller alone: a count by the name would let strangers use up the
     * searches of its owner. The result gives it back, for somebody whose password was right.
     * @throws Failure too_many_requests, with the seconds to wait as `retryAfter`.
     */
    async lookup(by: { address: string } | { own: string }): Promise<(tx: Tx) => Promise<void>> {
      const limit =
        'own' in by
          ? { key: `lookup:${by.own}`, most: most.lookupsPerBrowser }
          : { key: `lookup:${addressGroup(by.address)}`, most: most.lookupsPerAddress }
      await take(guesses, [limit], wayIn)
      return async (tx) => guesses.giveBack(tx, limit.key)
    },

    /** Forgets what strangers guessed at an account. For its owner, who has shown who they are. */
    forgive: (tx: Tx, userId: string): Promise<void> => guesses.clear(tx, `account:${userId}`),

    /**
     * Counts a call that has a mail sent, or an account made, from this address.
     * @throws Failure too_many_requests after 5 of a kind in a minute.
     */
    mail: (kind: 'register' | 'verify' | 'forgot' | 'email', address: string): Promise<void> =>
      take(mails, [{ key: `${kind}:${addressGroup(address)}`, most: most.mailsPerAddress }]),
  }
}
