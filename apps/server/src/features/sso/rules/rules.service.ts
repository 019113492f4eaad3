import { isApplicationRole, isTeamRole, roleName, roles, type SsoRule, type SsoRuleInput } from '@app/contract'
import type { Actor } from '../../../platform/authz/actor.ts'
import type { Database } from '../../../platform/db/database.ts'
import type { Db, Tx } from '../../../platform/db/tables.ts'
import { fail, Failure } from '../../../platform/http/failure.ts'
import type { UserRow } from '../../account/index.ts'
import { changes } from '../../audit/index.ts'
import type { Arrival } from '../sign-in.service.ts'
import { findSignIn } from '../sign-ins.store.ts'
import { findProvider, type ProviderRow } from '../sso.store.ts'
import { groupsOf } from '../sso.view.ts'
import { countingRules, type DirectoryGroups, isTold, nothingPushed } from './groups.ts'
import { createEffects, type EffectDependencies } from './rules.effects.ts'
import type { Given, Grant, Rule, Standing } from './rules.matches.ts'
import { planFor } from './rules.plan.ts'
import { noGroups, noGroupsKept, refusalOf, sentenceOf } from './rules.sentences.ts'
import {
  applicationRolesOf,
  applicationsAmong,
  deleteGrants,
  grantsOf,
  listRules,
  membershipsOf,
  replaceGrants,
  replaceRules,
  teamNames,
} from './rules.store.ts'

export type SsoRules = ReturnType<typeof createSsoRules>

const auditScope = { type: 'platform', id: 'platform' } as const

/** Rules by which the groups of a provider become roles and the right of administrators (decision 116). */
export function createSsoRules(
  deps: EffectDependencies & {
    database: Database
    /** Are roles in applications switched on? */
    limitedAllowed(db?: Db): Promise<boolean>
    directoryGroups: DirectoryGroups
  },
) {
  const { database, audit, limitedAllowed, directoryGroups } = deps
  const { read } = database
  const carryOut = createEffects(deps)

  async function rulesOf(db: Db, providerId: string): Promise<Rule[]> {
    const rows = await listRules(db, providerId)
    return rows.map((row) => ({
      group: row.group_name,
      teamId: row.team_id,
      teamName: row.team_name,
      applicationId: row.application_id,
      applicationName: row.application_name,
      role: row.role,
    }))
  }

  async function grantsFor(db: Db, providerId: string, userId: string): Promise<Grant[]> {
    const rows = await grantsOf(db, userId)
    return rows.map((row) => ({
      teamId: row.team_id,
      teamName: row.team_name,
      applicationId: row.application_id,
      applicationName: row.application_name,
      role: row.deleted_at === null ? row.role : roles.none,
      own: row.provider_id === providerId,
    }))
  }

  async function standingOf(
    db: Db,
    { id, admin }: Pick<UserRow, 'id' | 'admin'>,
    grants: readonly Grant[],
  ): Promise<Standing> {
    const memberships = await membershipsOf(db, id)
    const inApplications = await applicationRolesOf(db, id)
    return {
      admin: admin === 1,
      roles: new Map(memberships.map(({ team_id, role }) => [team_id, role])),
      teamNames: new Map(memberships.map(({ team_id, name }) => [team_id, name])),
      applications: new Map(
        inApplications.map(({ application_id, team_id: teamId, role }) => [application_id, { teamId, role }]),
      ),
      grants,
    }
  }

  /** @throws Failure invalid_request with the number of the rule. */
  async function checked(input: readonly SsoRuleInput[]): Promise<Rule[]> {
    const names = await teamNames(read, [...new Set(input.flatMap(({ team }) => team ?? []))])
    const applications = await applicationsAmong(read, [...new Set(input.flatMap((one) => one.application ?? []))])
    return input.map(({ group, team, application = null, role }, at) => {
      const field = (name: string) => ({ field: `rules.${at}.${name}` })
      const teamName = team === null ? null : (names.get(team) ?? null)
      if (team !== null && teamName === null) throw fail('invalid_request', 'There is no such team', field('team'))
      const found = application === null ? undefined : applications.get(application)
      if (application !== null && found?.team_id !== team)
        throw fail('invalid_request', 'There is no such application in the team', field('application'))
      if (application !== null && !isApplicationRole(role))
        throw fail('invalid_request', 'The roles in an application are Owner, Member and Viewer', field('role'))
      if (isTeamRole(role) !== (team !== null))
        throw fail(
          'invalid_request',
          'A team has team roles; without a team, the role is that of an administrator',
          field('role'),
        )
      return { group, teamId: team, teamName, applicationId: application, applicationName: found?.name ?? null, role }
    })
  }

  const shown = (rules: readonly Rule[]): { count: number; rules: SsoRule[] } => ({
    count: rules.length,
    rules: rules.map(({ group, teamId, teamName, applicationId, applicationName, role }) => ({
      group,
      team: teamId === null ? null : { id: teamId, name: teamName ?? '' },
      application: applicationId === null ? null : { id: applicationId, name: applicationName ?? '' },
      role,
    })),
  })

  /** As the audit log shows a rule. */
  function line({ group, teamName, applicationName, role }: Rule): string {
    if (teamName === null) return `${group}: administrator`
    return applicationName === null
      ? `${group}: ${roleName(role)} of ${teamName}`
      : `${group}: ${roleName(role)} in ${applicationName} of ${teamName}`
  }

  async function find(providerId: string): Promise<ProviderRow> {
    const provider = await findProvider(read, providerId)
    if (!provider) throw fail('not_found')
    return provider
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
        const rows = rules.map((rule) => ({ group_name: rule.group, ...columnsOf(rule) }))
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
      const groups = groupsOf(signIn) ?? undefined
      const none = { admin: false, roles: new Map(), teamNames: new Map(), applications: new Map(), grants: [] }
      const { user_id: id, admin } = signIn
      const pushed = id === null ? nothingPushed : await directoryGroups.pushed(read, providerId, id, namesIn(rules))
      if (!isTold(groups, pushed)) return [noGroupsKept]
      const standing =
        id === null ? none : await standingOf(read, { id, admin: admin ?? 0 }, await grantsFor(read, providerId, id))
      const counting = countingRules(rules, groups, pushed, standing.grants)
      const options = { applicationRoles: await limitedAllowed() }
      return planFor(counting, namesIn(counting), standing, options).effects.map(sentenceOf)
    },

    /**
     * Applies the rules of a provider to a person who signs in, or whose groups a directory changed, in this transaction.
     * Returns a sentence for each effect, also for those that a limit prevented. `gone`: names that groups of the
     * directory had until now.
     */
    async apply(
      tx: Tx,
      {
        provider,
        groups,
        groupsNote = noGroups,
        gone = [],
      }: Pick<Arrival, 'provider' | 'groups' | 'groupsNote'> & { gone?: readonly string[] },
      user: UserRow,
      address: string,
    ): Promise<string[]> {
      const rules = await rulesOf(tx, provider.id)
      const former = await grantsFor(tx, provider.id, user.id)
      if (rules.length === 0 && !former.some(({ own }) => own)) return []
      const { known, own } = await directoryGroups.pushed(tx, provider.id, user.id, namesIn(rules))
      const pushed = { known: new Set([...known, ...gone]), own }
      if (!isTold(groups, pushed)) return [groupsNote]
      const standing = await standingOf(tx, user, former)
      const counting = countingRules(rules, groups, pushed, former)
      const options = { applicationRoles: await limitedAllowed(tx) }
      const { effects, grants } = planFor(counting, namesIn(counting), standing, options)
      const actor: Actor = { kind: 'system', address }
      const lines: string[] = []
      /** Teams in which the role stayed as it was, against the rules. */
      const refused = new Set<string | null>()
      const failed = new Set<string>()
      const kept: Given[] = []
      for (const effect of effects) {
        const teamId = 'teamId' in effect ? effect.teamId : null
        // Roles in applications were planned for the role in the team that did not come about.
        if ('applicationId' in effect && refused.has(teamId)) continue
        const done = await carryOut(tx, actor, provider, user, standing, effect).catch((error: unknown) => {
          if (!(error instanceof Failure)) throw error
          return false
        })
        lines.push(done ? sentenceOf(effect) : refusalOf(effect))
        if (done) continue
        if ('applicationId' in effect) {
          failed.add(effect.applicationId)
          continue
        }
        refused.add(teamId)
        // The grant stays, so that the next sign-in tries again.
        if (effect.kind === 'leave') kept.push({ teamId, applicationId: null, role: roles.owner })
        if (effect.kind === 'no-admin') kept.push({ teamId: null, applicationId: null, role: roles.admin })
      }
      const given = grants.filter(
        ({ teamId, applicationId }) =>
          (!refused.has(teamId) || standing.roles.has(teamId ?? '')) && !failed.has(applicationId ?? ''),
      )
      await replaceGrants(tx, { provider_id: provider.id, user_id: user.id }, [...given, ...kept].map(columnsOf))
      return lines
    },

    /** Somebody decided by hand about a membership, or ended it: rules have not given it any more. */
    async memberByHand(tx: Tx, teamId: string, userId: string, role: number | undefined): Promise<void> {
      await deleteGrants(tx, userId, { teamId, alone: role !== undefined })
    },

    /** The same for a role in an application. */
    async applicationMemberByHand(tx: Tx, applicationId: string, userId: string): Promise<void> {
      await deleteGrants(tx, userId, { applicationId })
    },
  }
}

const namesIn = (rules: readonly Rule[]): string[] => [...new Set(rules.map(({ group }) => group))]

const columnsOf = ({ teamId, applicationId, role }: Given) => ({
  team_id: teamId,
  application_id: applicationId,
  role,
})
