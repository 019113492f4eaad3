import { limits } from '@app/contract'
import * as z from 'zod/mini'
import type { Actor, UserActor } from '../../platform/authz/actor.ts'
import { type Clock, iso } from '../../platform/clock.ts'
import type { Vault } from '../../platform/crypto.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Tx } from '../../platform/db/tables.ts'
import { jsonColumn } from '../../platform/db/json.ts'
import { type Failure, fail } from '../../platform/http/failure.ts'
import { newId } from '../../platform/ids.ts'
import { defineJob } from '../../platform/jobs/definition.ts'
import type { Jobs } from '../../platform/jobs/jobs.ts'
import { checkPassword, hashPassword } from '../../platform/passwords.ts'
import { weaknessOf } from '../../platform/weak-passwords.ts'
import { type Audit, userScope } from '../audit/index.ts'
import type { Mail } from '../mail/index.ts'
import { letters } from './account.mails.ts'
import type { Accounts } from './account.service.ts'
import { findUser, findUserByEmail, updateUser, type UserRow } from './account.store.ts'
import { userRef } from './account.view.ts'
import type { Browsers } from './browsers.service.ts'
import { type Guesses, ownOf } from './guesses.service.ts'
import type { Links } from './links.service.ts'
import type { Caller } from './sessions.service.ts'
import { deleteLinksOf } from './links.store.ts'

export interface PasswordDependencies {
  database: Database
  clock: Clock
  vault: Vault
  jobs: Jobs
  audit: Audit
  mail: Mail
  accounts: Accounts
  links: Links
  guesses: Guesses
  browsers: Browsers
  /** May people reset their password by mail? */
  resetAllowed(): Promise<boolean>
}

export type Passwords = ReturnType<typeof createPasswords>

type Owner = Pick<UserRow, 'username' | 'email' | 'name'>

/**
 * Why this cannot be the password of this person, as a sentence that names the password, or nothing.
 * Length counts in characters as typed; how it is composed does not matter.
 */
export async function passwordFault(password: string, owner: Owner): Promise<string | undefined> {
  if (password.length < limits.passwordMin) return 'Password too short'
  return weaknessOf(password, [owner.username, owner.email, owner.name, 'FlowForge', 'Node-RED'])
}

const readRequest = jsonColumn('jobs.payload', z.object({ email: z.string(), address: z.string() }))

/** Changing a password, and resetting one that was forgotten. */
export function createPasswords(deps: PasswordDependencies) {
  const { database, clock, vault, jobs, audit, mail, accounts, links, guesses, browsers } = deps

  async function refuseChange(actor: UserActor, failure: Failure): Promise<never> {
    const error = { code: failure.code, message: failure.message }
    await database.transact((tx) =>
      audit.record(tx, actor, 'user.updated-password', userScope(actor.userId), { error }),
    )
    throw failure
  }

  /** Takes a new password; the links that would set another one no longer work. */
  async function setPassword(tx: Tx, userId: string, password_hash: string): Promise<void> {
    const updated_at = clock.now()
    await updateUser(tx, userId, { password_hash, local_password: 1, password_expired: 0, updated_at })
    await deleteLinksOf(tx, userId, ['reset', 'handed-reset'])
  }

  const resetMailJob = defineJob({
    kind: 'account.forgot',
    title: 'Mail a link to reset a password',
    payload: z.object({ request: z.string() }),
    steps: [
      {
        name: 'Mail',
        async run({ subject, payload }) {
          const { email, address } = readRequest(vault.open(payload.request, subject), subject)
          const user = await findUserByEmail(database.read, email)
          return async (tx) => {
            await jobs.forget(tx, subject)
            if (!user || user.suspended || !(await guesses.mayMailReset(tx, user.id))) return
            const { url } = await links.make(tx, user, 'reset', user.email)
            // To the address as it is stored, and never to the one that was typed: they may only look the same.
            await mail.send(tx, letters.reset(user, url))
            const body = { user: userRef(user) }
            await audit.record(tx, { kind: 'anonymous', address }, 'account.forgot-password', userScope(user.id), body)
          }
        },
      },
    ],
    failed: async (tx, { subject }) => jobs.forget(tx, subject),
  })

  return {
    resetMailJob,

    /** Changes the own password; ends all other sessions and what they opened. */
    async change(actor: UserActor, old: string, next: string, browser?: string): Promise<void> {
      const user = await accounts.current(actor)
      const guess = await guesses.guess({ own: ownOf(actor) })
      if (!(await checkPassword(old, user.password_hash)))
        return refuseChange(actor, fail('password_change_failed', undefined, { field: 'old_password' }))
      const fault = next === old ? 'The new password must be another one' : await passwordFault(next, user)
      if (fault) throw fail('password_change_failed', fault, { field: 'password' })
      const password_hash = await hashPassword(next)
      await database.transact(async (tx) => {
        await guess.right(tx)
        await setPassword(tx, user.id, password_hash)
        await browsers.forget(tx, user.id, browser)
        await accounts.endAccess(tx, user, 'session' in actor.via ? actor.via.session : undefined)
        await audit.record(tx, actor, 'user.updated-password', userScope(user.id), {})
        await mail.send(tx, letters.passwordChanged(user))
      })
    },

    /**
     * Mails a link to whoever has this address. The work is a job whether or not anybody has it, so neither
     * the answer nor its time tells.
     */
    async forget(email: string, address: string): Promise<void> {
      if (!mail.configured || !(await deps.resetAllowed())) throw fail('password_reset_unavailable')
      await guesses.mail('forgot', address)
      const subject = `forgot-${newId()}`
      const payload = { request: vault.seal(JSON.stringify({ email, address }), subject) }
      await database.transact((tx) => jobs.enqueue(tx, 'account.forgot', { subject, teamId: '', payload }))
    },

    /** A link for an administrator to hand over, where no mail brings one. */
    async handOver(actor: Actor, user: UserRow): Promise<{ url: string; expiresAt: string }> {
      if (user.suspended) throw fail('invalid_request', 'A suspended user cannot sign in, even with a new password')
      return database.transact(async (tx) => {
        const { url, expiresAt } = await links.make(tx, user, 'handed-reset', user.email)
        const body = { user: userRef(user), info: { purpose: 'reset-password' } }
        await audit.record(tx, actor, 'users.link-created', userScope(user.id), body)
        return { url, expiresAt: iso(expiresAt) }
      })
    },

    /**
     * Sets a new password with the token of a link; a password that is refused does not use the link up.
     * Ends all sessions and opens none: whoever has a second factor needs it to sign in as ever. Returns the cookie of
     * this browser, in which strangers cannot keep the person out.
     */
    async reset(token: string, password: string, { address, browser }: Caller): Promise<string> {
      const allowed = mail.configured && (await deps.resetAllowed())
      const link = await links.find(token, ['reset', 'handed-reset'])
      if (link?.purpose === 'reset' && !allowed) throw fail('password_reset_unavailable')
      const user = link && (await findUser(database.read, link.user_id))
      if (!link || !user || user.suspended) throw fail('password_reset_failed')
      const fault = await passwordFault(password, user)
      if (fault) throw fail('password_reset_failed', fault, { field: 'password' })
      const password_hash = await hashPassword(password)
      return database.transact(async (tx) => {
        if (!(await links.use(tx, link.id))) throw fail('password_reset_failed')
        await setPassword(tx, user.id, password_hash)
        await accounts.endAccess(tx, user)
        await guesses.forgive(tx, user.id)
        await browsers.forget(tx, user.id, browser)
        const known = await browsers.remember(tx, user.id, browser)
        const body = { user: userRef(user) }
        await audit.record(tx, { kind: 'anonymous', address }, 'account.reset-password', userScope(user.id), body)
        await mail.send(tx, letters.passwordChanged(user))
        return known.token
      })
    },
  }
}
