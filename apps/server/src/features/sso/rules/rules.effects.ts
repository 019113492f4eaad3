import { roleName, roles } from '@app/contract'
import type { Actor } from '../../../platform/authz/actor.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { Database } from '../../../platform/db/database.ts'
import type { Tx } from '../../../platform/db/tables.ts'
import { type Accounts, keepAdministrator, updateUser, userRef, type UserRow } from '../../account/index.ts'
import type { ApplicationMembers } from '../../application-members/index.ts'
import { type Audit, changes, teamScope, userScope } from '../../audit/index.ts'
import type { Quotas } from '../../team-types/index.ts'
import type { Members } from '../../teams/index.ts'
import type { ProviderRow } from '../sso.store.ts'
import type { Standing } from './rules.matches.ts'
import type { Effect } from './rules.sentences.ts'

export interface EffectDependencies {
  database: Database
  clock: Clock
  audit: Audit
  accounts: Pick<Accounts, 'endAccess'>
  members: Pick<Members, 'add' | 'setRole' | 'takeOut'>
  applicationMembers: Pick<ApplicationMembers, 'give' | 'takeAway'>
  quotas: Pick<Quotas, 'seats'>
}

/** Carries out the effects of rules, each in the transaction of the sign-in. */
export function createEffects(deps: EffectDependencies) {
  const { database, clock, audit, members, applicationMembers } = deps

  async function makeAdmin(tx: Tx, actor: Actor, user: UserRow, admin: boolean): Promise<void> {
    if (!admin) await keepAdministrator(tx, user, database.kind === 'postgres')
    await updateUser(tx, user.id, { admin: admin ? 1 : 0, updated_at: clock.now() })
    if (!admin) await deps.accounts.endAccess(tx, user)
    const updates = changes({ admin: !admin }, { admin })
    await audit.record(tx, actor, 'users.updated-user', userScope(user.id), { user: userRef(user), updates })
  }

  /**
   * Carries out one effect. Returns false when the team is full or somebody else changed the role meanwhile.
   * @throws Failure where the team would be left without an owner, or the platform without an administrator.
   */
  return async function carryOut(
    tx: Tx,
    actor: Actor,
    provider: ProviderRow,
    user: UserRow,
    before: Standing,
    effect: Effect,
  ): Promise<boolean> {
    const info = { provider: { id: provider.id, name: provider.name } }
    switch (effect.kind) {
      case 'join': {
        const seats = await deps.quotas.seats(tx, effect.teamId)
        if (seats && seats.members >= seats.most) return false
        await members.add(tx, [{ teamId: effect.teamId, userId: user.id, role: effect.role }])
        const body = { user: { ...userRef(user), role: roleName(effect.role) }, info: { ...info, group: effect.group } }
        await audit.record(tx, actor, 'team.user.added', teamScope(effect.teamId), body)
        return true
      }
      case 'role': {
        const role = before.roles.get(effect.teamId) ?? roles.none
        await members.setRole(tx, actor, effect.teamId, { ...user, role }, effect.role)
        return true
      }
      case 'leave':
        await members.takeOut(tx, actor, effect.teamId, user)
        return true
      case 'application-role': {
        const named = { applicationId: effect.applicationId, userId: user.id }
        const why = effect.group === undefined ? info : { ...info, group: effect.group }
        return applicationMembers.give(tx, actor, effect.teamId, named, effect.role, why)
      }
      case 'application-end': {
        const named = { applicationId: effect.applicationId, userId: user.id }
        return applicationMembers.takeAway(tx, actor, effect.teamId, named, info)
      }
      case 'admin':
      case 'no-admin':
        await makeAdmin(tx, actor, user, effect.kind === 'admin')
        return true
      case 'by-hand':
      case 'application-by-hand':
      case 'application-covered':
      case 'application-off':
        return true
    }
  }
}
