import { isTeamRole, roleName, roles, type SsoRule, type SsoRuleInput } from '@app/contract'
import type { Actor } from '../../../platform/authz/actor.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { Database } from '../../../platform/db/database.ts'
import type { Db, Tx } from '../../../platform/db/tables.ts'
import { fail, Failure } from '../../../platform/http/failure.ts'
import { type Accounts, keepAdministrator, updateUser, userRef, type UserRow } from '../../account/index.ts'
import { type Audit, changes, teamScope, userScope } from '../../audit/index.ts'
import type { Quotas } from '../../team-types/index.ts'
import type { Members } from '../../teams/index.ts'
import type { Arrival } from '../sign-in.service.ts'
import { findSignIn } from '../sign-ins.store.ts'
import { findProvider, type ProviderRow } from '../sso.store.ts'
import { groupsOf } from '../sso.view.ts'
import {
  type Effect,
  type Grant,
  noGroups,
  planFor,
  type Rule,
  sentenceOf,
  type Standing,
  unless,
} from './rules.plan.ts'
import { grantsOf, listRules, membershipsOf, replaceGrants, replaceRules, teamNames } from './rules.store.ts'

export type SsoRules = ReturnType<typeof createSsoRules>

const auditScope = { type: 'platform', id: 'platform' } as const

/** Rules by which the groups of a provider become roles in teams and the right of administrators (decision 116). */
export function createSsoRules(deps: {
  database: Database
  clock: Clock
  audit: Audit
  accounts: Pick<Accounts, 'endAccess'>
  members: Pick<Members, 'add' | 'setRole' | 'takeOut'>
  quotas: Pick<Quotas, 'seats'>
}) {
  const { database, clock, audit, members } = deps
  const { read } = database
  const postgres = database.kind === 'postgres'

  async function rulesOf(db: Db, providerId: string): Promise<Rule[]> {
    const rows = await listRules(db, providerId)
    return rows.map((row) => ({ group: row.group_name, teamId: row.team_id, teamName: row.team_name, role: row.role }))
  }

  async function grantsFor(db: Db, providerId: string, userId: string): Promise<Grant[]> {
    const rows = await grantsOf(db, userId)
    return rows.map(({ team_id: teamId, role, provider_id }) => ({ teamId, role, own: provider_id === providerId }))
  }

  async function standingOf(
    db: Db,
    { id, admin }: Pick<UserRow, 'id' | 'admin'>,
    grants: readonly Grant[],
  ): Promise<Standing> {
    const memberships = await membershipsOf(db, id)
    return {
      admin: admin === 1,
      roles: new Map(memberships.map(({ team_id, role }) => [team_id, role])),
      teamNames: new Map(memberships.map(({ team_id, name }) => [team_id, name])),
      grants,
    }
  }

  /** @throws Failure invalid_request with the number of the rule. */
  async function checked(input: readonly SsoRuleInput[]): Promise<Rule[]> {
    const names = await teamNames(read, [...new Set(input.flatMap(({ team }) => team ?? []))])
    return input.map(({ group, team, role }, at) => {
      const teamName = team === null ? null : (names.get(team) ?? null)
      if (team !== null && teamName === null)
        throw fail('invalid_request', 'There is no such team', { field: `rules.${at}.team` })
      if (isTeamRole(role) !== (team !== null))
        throw fail('invalid_request', 'A team has team roles; without a team, the role is that of an administrator', {
          field: `rules.${at}.role`,
        })
      return { group, teamId: team, teamName, role }
    })
  }

  const shown = (rules: readonly Rule[]): { count: number; rules: SsoRule[] } => ({
    count: rules.length,
    rules: rules.map(({ group, teamId, teamName, role }) => ({
      group,
      team: teamId === null ? null : { id: teamId, name: teamName ?? '' },
      role,
    })),
  })

  /** As the audit log shows a rule. */
  const line = ({ group, teamName, role }: Rule) =>
    teamName === null ? `${group}: administrator` : `${group}: ${roleName(role)} of ${teamName}`

  async function find(providerId: string): Promise<ProviderRow> {
    const provider = await findProvider(read, providerId)
    if (!provider) throw fail('not_found')
    return provider
  }

  async function makeAdmin(tx: Tx, actor: Actor, user: UserRow, admin: boolean): Promise<void> {
    if (!admin) await keepAdministrator(tx, user, postgres)
    await updateUser(tx, user.id, { admin: admin ? 1 : 0, updated_at: clock.now() })
    if (!admin) await deps.accounts.endAccess(tx, user)
    const updates = changes({ admin: !admin }, { admin })
    await audit.record(tx, actor, 'users.updated-user', userScope(user.id), { user: userRef(user), updates })
  }

  /** @throws Failure where the team would be left without an owner, or the platform without an administrator. */
  async function carryOut(
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
      case 'role':
        await members.setRole(
          tx,
          actor,
          effect.teamId,
          { ...user, role: before.roles.get(effect.teamId) ?? roles.none },
          effect.role,
        )
        return true
      case 'leave':
        await members.takeOut(tx, actor, effect.teamId, user)
        return true
      case 'admin':
      case 'no-admin':
        await makeAdmin(tx, actor, user, effect.kind === 'admin')
        return true
      case 'by-hand':
        return true
    }
  }

  const failed = (effect: Effect): string => {
    if (effect.kind === 'join') return unless.full(effect.team)
    return effect.kind === 'role' || effect.kind === 'leave' ? unless.onlyOwner(effect.team) : unless.lastAdmin
  }

  return {
    async list(providerId: string) {
      await find(providerId)
      return shown(await rulesOf(read, providerId))
    },

    /** Replaces all rules of a provider. @throws Failure not_found, invalid_request */
    async replace(actor: Actor, providerId: string, input: readonly SsoRuleInput[]) {
      const { id, name } = await find(providerId)
      const rules = await checked(input)
      await database.transact(async (tx) => {
        const before = await rulesOf(tx, id)
        const rows = rules.map(({ group, teamId, role }) => ({ group_name: group, team_id: teamId, role }))
        await replaceRules(tx, id, rows)
        const updates = changes({ rules: before.map(line) }, { rules: rules.map(line) })
        await audit.record(tx, actor, 'platform.sso.rules.updated', auditScope, { info: { id, name }, updates })
      })
      return shown(rules)
    },

    /** The effects that rules would have on a kept sign-in, in sentences. @throws Failure not_found, invalid_request */
    async try(providerId: string, signInId: string, input: readonly SsoRuleInput[]): Promise<string[]> {
      await find(providerId)
      const rules = await checked(input)
      const signIn = await findSignIn(read, providerId, signInId)
      if (!signIn) throw fail('invalid_request', 'This sign-in is no longer kept', { field: 'signIn' })
      const groups = groupsOf(signIn)
      if (groups === null) return [noGroups]
      const none: Standing = { admin: false, roles: new Map(), teamNames: new Map(), grants: [] }
      const { user_id: id, admin } = signIn
      const standing =
        id === null ? none : await standingOf(read, { id, admin: admin ?? 0 }, await grantsFor(read, providerId, id))
      return planFor(rules, groups, standing).effects.map(sentenceOf)
    },

    /**
     * Applies the rules of a provider to a person who signs in, within the transaction of the sign-in. Returns a
     * sentence for each effect, also for those that a limit prevented.
     */
    async apply(
      tx: Tx,
      { provider, groups }: Pick<Arrival, 'provider' | 'groups'>,
      user: UserRow,
      address: string,
    ): Promise<string[]> {
      const rules = await rulesOf(tx, provider.id)
      const former = await grantsFor(tx, provider.id, user.id)
      if (rules.length === 0 && !former.some(({ own }) => own)) return []
      if (groups === undefined) return [noGroups]
      const standing = await standingOf(tx, user, former)
      const { effects, grants } = planFor(rules, groups, standing)
      const actor: Actor = { kind: 'system', address }
      const lines: string[] = []
      const refused = new Set<string | null>()
      const kept: { teamId: string | null; role: number }[] = []
      for (const effect of effects) {
        const teamId = 'teamId' in effect ? effect.teamId : null
        const done = await carryOut(tx, actor, provider, user, standing, effect).catch((error: unknown) => {
          if (!(error instanceof Failure)) throw error
          return false
        })
        lines.push(done ? sentenceOf(effect) : failed(effect))
        if (done) continue
        refused.add(teamId)
        // The grant stays, so that the next sign-in tries again.
        if (effect.kind === 'leave') kept.push({ teamId, role: roles.owner })
        if (effect.kind === 'no-admin') kept.push({ teamId: null, role: roles.admin })
      }
      const joined = grants.filter(({ teamId }) => !refused.has(teamId) || standing.roles.has(teamId ?? ''))
      await replaceGrants(tx, { provider_id: provider.id, user_id: user.id }, [...joined, ...kept])
      return lines
    },
  }
}
