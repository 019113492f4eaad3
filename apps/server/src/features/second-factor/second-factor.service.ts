import type { Factor, PasskeyAttestation, Proof, SecondFactors } from '@app/contract'
import type { Actor, UserActor } from '../../platform/authz/actor.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Vault } from '../../platform/crypto.ts'
import { brokenRule, type Database } from '../../platform/db/database.ts'
import type { Tx } from '../../platform/db/tables.ts'
import { fail } from '../../platform/http/failure.ts'
import { newId } from '../../platform/ids.ts'
import { checkPassword } from '../../platform/passwords.ts'
import { type Accounts, type Guesses, ownOf, userRef } from '../account/index.ts'
import { type Audit, userScope } from '../audit/index.ts'
import type { Mail } from '../mail/index.ts'
import { type Answers, secretContext } from './answers.service.ts'
import { appUri, newSecret, stepOf } from './app-codes.ts'
import type { Passkeys } from './passkeys.service.ts'
import { hashRecoveryCode, newRecoveryCodes } from './recovery-codes.ts'
import { letters } from './second-factor.mails.ts'
import {
  confirmApp,
  countRecoveryCodes,
  deleteApps,
  deleteFactor,
  forgetFactors,
  type FactorRow,
  findApp,
  insertFactor,
  listFactors,
  markUser,
  replaceRecoveryCodes,
} from './second-factor.store.ts'
import { factorView } from './second-factor.view.ts'

export interface SecondFactorDependencies {
  database: Database
  clock: Clock
  vault: Vault
  audit: Audit
  mail: Mail
  answers: Answers
  passkeys: Passkeys
  accounts: Pick<Accounts, 'find' | 'current' | 'endAccess' | 'proven'>
  guesses: Guesses
  /** Does the platform ask everyone for a second factor? */
  isRequired(): Promise<boolean>
}

export type SecondFactor = ReturnType<typeof createSecondFactor>

/** Milliseconds in which a new secret must be confirmed. */
const pendingMs = 15 * 60_000
const mostPasskeys = 20

/** The own second factors: adding, removing, recovery codes. Every change asks once more who asks. */
export function createSecondFactor(deps: SecondFactorDependencies) {
  const { database, clock, vault, audit, mail, answers, passkeys } = deps

  async function provePassword(actor: UserActor, password: string): Promise<void> {
    const guess = await deps.guesses.guess({ own: ownOf(actor) })
    const user = await deps.accounts.find(actor.userId)
    if (!(await checkPassword(password, user?.password_hash)))
      throw fail('invalid_code', 'This is not your password', { field: 'password' })
    await database.transact((tx) => guess.right(tx))
  }

  /** The other sessions were opened with less, or other, than what counts now. */
  const endOthers = (tx: Tx, { userId, username, via }: UserActor) =>
    deps.accounts.endAccess(tx, { id: userId, username }, 'session' in via ? via.session : undefined)

  /** Shows who asks; for a while the session needs no other proof. */
  async function prove(actor: UserActor, proof: Proof): Promise<void> {
    await judge(actor, proof)
    await deps.accounts.proven(actor)
  }

  async function judge(actor: UserActor, proof: Proof): Promise<void> {
    if (proof.password !== undefined) return provePassword(actor, proof.password)
    if (!proof.code && !proof.passkey) throw fail('invalid_request', 'Enter your password', { field: 'password' })
    const asked = { userId: actor.userId, by: { own: ownOf(actor) }, purpose: 'prove' as const }
    await answers.accept(asked, proof, async () => undefined)
  }

  /** The effects of a new factor; with the first one recovery codes are made. */
  async function added(
    tx: Tx,
    actor: UserActor,
    row: FactorRow,
  ): Promise<{ factor: Factor; recoveryCodes?: string[] }> {
    await endOthers(tx, actor)
    await mail.send(tx, letters.added(await markUser(tx, actor.userId), row))
    await audit.record(tx, actor, 'user.second-factor.added', userScope(actor.userId), {
      info: { kind: row.kind, name: row.name },
    })
    const hasCodes = (await countRecoveryCodes(tx, actor.userId)) > 0
    return { factor: factorView(row), ...(hasCodes ? {} : { recoveryCodes: await renew(tx, actor) }) }
  }

  async function renew(tx: Tx, actor: UserActor): Promise<string[]> {
    const codes = newRecoveryCodes()
    await replaceRecoveryCodes(tx, actor.userId, codes.map(hashRecoveryCode))
    await audit.record(tx, actor, 'user.second-factor.recovery-codes', userScope(actor.userId), {})
    return codes
  }

  const blank = (actor: UserActor) => ({
    id: newId(),
    user_id: actor.userId,
    secret: null,
    last_step: null,
    credential_id: null,
    public_key: null,
    counter: null,
    transports: null,
    host: null,
    created_at: clock.now(),
    last_used_at: null,
  })

  return {
    async list(actor: UserActor): Promise<SecondFactors> {
      const rows = await listFactors(database.read, actor.userId)
      return {
        factors: rows.map(factorView),
        recoveryCodes: await countRecoveryCodes(database.read, actor.userId),
        required: await deps.isRequired(),
      }
    },

    prove,

    /** @throws Failure invalid_request for who has no passkey. */
    async challenge(actor: UserActor) {
      const options = await passkeys.request(actor.userId, 'prove')
      if (!options) throw fail('invalid_request', 'You have no passkey')
      return { ...options }
    },

    /** A secret for an app, which counts once it is confirmed; an app added before goes on counting until then. */
    async startApp(actor: UserActor, proof: Proof): Promise<{ secret: string; uri: string }> {
      await prove(actor, proof)
      const secret = newSecret()
      const sealed = vault.seal(secret, secretContext(actor.userId))
      await database.transact(async (tx) => {
        await deleteApps(tx, actor.userId, 0)
        await insertFactor(tx, {
          ...blank(actor),
          kind: 'app',
          name: 'Authenticator app',
          confirmed: 0,
          secret: sealed,
        })
      })
      return { secret, uri: appUri(secret, actor.username) }
    },

    /** @throws Failure invalid_code for a wrong code, or one of a secret nobody asked for lately. */
    async confirmApp(actor: UserActor, code: string) {
      const row = await findApp(database.read, actor.userId, 0)
      const now = clock.now()
      const fresh = row && row.created_at + pendingMs > now
      const step = fresh && stepOf(vault.open(row.secret!, secretContext(actor.userId)), code.replace(/\s/g, ''), now)
      if (!fresh || step === undefined) throw fail('invalid_code', undefined, { field: 'code' })
      return database.transact(async (tx) => {
        await deleteApps(tx, actor.userId, 1)
        if (!(await confirmApp(tx, row.id, Number(step)))) throw fail('invalid_code', undefined, { field: 'code' })
        return added(tx, actor, row)
      })
    },

    async startPasskey(actor: UserActor, proof: Proof) {
      await prove(actor, proof)
      const held = await listFactors(database.read, actor.userId)
      if (held.length >= mostPasskeys) throw fail('invalid_request', `At most ${mostPasskeys} factors are possible`)
      return { ...(await passkeys.creation(actor)) }
    },

    /** @throws Failure invalid_code when the answer is not one to a challenge of this person. */
    async addPasskey(actor: UserActor, name: string, response: PasskeyAttestation) {
      const columns = await passkeys.created(actor.userId, response)
      if (!columns) throw fail('invalid_code', 'The passkey could not be added', { field: 'passkey' })
      const row: FactorRow = { ...blank(actor), ...columns, kind: 'passkey', name, confirmed: 1 }
      try {
        return await database.transact(async (tx) => {
          await insertFactor(tx, row)
          return added(tx, actor, row)
        })
      } catch (error) {
        if (brokenRule(error) !== 'unique') throw error
        throw fail('invalid_code', 'This passkey is in use already', { field: 'passkey' })
      }
    },

    /** @throws Failure not_found for a factor that is not theirs. */
    async remove(actor: UserActor, id: string, proof: Proof): Promise<void> {
      const held = await listFactors(database.read, actor.userId)
      if (!held.some((row) => row.id === id)) throw fail('not_found')
      await prove(actor, proof)
      await database.transact(async (tx) => {
        const row = await deleteFactor(tx, actor.userId, id)
        if (!row) throw fail('not_found')
        const user = await markUser(tx, actor.userId)
        if (!user.hasFactor) await replaceRecoveryCodes(tx, actor.userId, [])
        await endOthers(tx, actor)
        await mail.send(tx, letters.removed(user, row, user.hasFactor))
        const info = { kind: row.kind, name: row.name }
        await audit.record(tx, actor, 'user.second-factor.removed', userScope(actor.userId), { info })
      })
    },

    /**
     * Takes everything from somebody who lost it; the password alone signs in until they add a factor again.
     * @throws Failure not_found; invalid_request for oneself, since that would need no proof.
     */
    async reset(actor: Actor, userId: string): Promise<void> {
      const user = await deps.accounts.find(userId)
      if (!user) throw fail('not_found')
      if (actor.kind === 'user' && actor.userId === userId)
        throw fail('invalid_request', 'Remove your own second factors on your security page')
      await database.transact(async (tx) => {
        await forgetFactors(tx, userId)
        await deps.accounts.endAccess(tx, user)
        await mail.send(tx, letters.taken(user))
        const auditScope = userScope(userId)
        await audit.record(tx, actor, 'users.second-factor.reset', auditScope, { user: userRef(user) })
      })
    },

    /** @throws Failure invalid_request for who has no factor that they could replace. */
    async recoveryCodes(actor: UserActor, proof: Proof): Promise<string[]> {
      if ((await listFactors(database.read, actor.userId)).length === 0)
        throw fail('invalid_request', 'Add an authenticator app or a passkey first')
      await prove(actor, proof)
      const user = await deps.accounts.current(actor)
      return database.transact(async (tx) => {
        await mail.send(tx, letters.recoveryCodes(user))
        return renew(tx, actor)
      })
    },
  }
}
