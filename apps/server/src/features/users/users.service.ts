import type { AccountLink, BodyOf, LinkPurpose, Routes, User } from '@app/contract'
import type { Actor } from '../../platform/authz/actor.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db/database.ts'
import { flag, type Tx } from '../../platform/db/tables.ts'
import { fail } from '../../platform/http/failure.ts'
import {
  type Accounts,
  letters,
  type Passwords,
  type Registrations,
  updateUser,
  userRef,
  type UserRow,
} from '../account/index.ts'
import { type Audit, changes } from '../audit/index.ts'
import type { Mail } from '../mail/index.ts'

export interface UsersDependencies {
  database: Database
  clock: Clock
  audit: Audit
  mail: Mail
  accounts: Accounts
  registrations: Registrations
  passwords: Passwords
  tokens: { endAll(tx: Tx, userId: string): Promise<void> }
}

export type Users = ReturnType<typeof createUsers>
type Patch = BodyOf<Routes['user.update']>

/** Other people's accounts, as administrators see and change them. */
export function createUsers(deps: UsersDependencies) {
  const { database, clock, audit, mail, accounts, registrations, passwords, tokens } = deps
  const placeOf = (userId: string) => ({ type: 'user' as const, id: userId })

  async function find(id: string): Promise<UserRow> {
    const user = await accounts.find(id)
    if (!user) throw fail('not_found')
    return user
  }

  function changeOf({ suspended, password_expired, email_verified }: Patch): Partial<UserRow> {
    return {
      ...(suspended === undefined ? {} : { suspended: flag(suspended) }),
      ...(password_expired ? { password_expired: 1 as const } : {}),
      ...(email_verified ? { email_verified: 1 as const } : {}),
      updated_at: clock.now(),
    }
  }

  return {
    /** Suspends, lifts a suspension, lets a password expire, or sets whether an address counts as verified. */
    async update(actor: Actor, id: string, patch: Patch): Promise<User> {
      const before = await find(id)
      if (patch.suspended && actor.kind === 'user' && actor.userId === id)
        throw fail('invalid_request', 'You cannot suspend yourself')
      const change = changeOf(patch)
      await database.transact(async (tx) => {
        await updateUser(tx, id, change)
        if (patch.email_verified === false && before.email_verified) await registrations.doubt(tx, before)
        if (patch.suspended && !before.suspended) {
          await accounts.endAccess(tx, before)
          await tokens.endAll(tx, id)
          await mail.send(tx, letters.suspended(before))
        }
        const { suspended, password_expired, email_verified } = before
        const old = {
          suspended: suspended === 1,
          password_expired: password_expired === 1,
          email_verified: email_verified === 1,
        }
        const body = { user: userRef(before), updates: changes(old, patch) }
        await audit.record(tx, actor, 'users.updated-user', placeOf(id), body)
      })
      return accounts.view(await find(id))
    },

    /** The link a mail would bring, for an administrator to hand over. */
    async makeLink(actor: Actor, id: string, purpose: LinkPurpose): Promise<AccountLink> {
      const user = await find(id)
      return purpose === 'verify' ? registrations.handOver(actor, user) : passwords.handOver(actor, user)
    },
  }
}
