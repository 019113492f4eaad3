import { defineFeature } from '../../platform/features/feature.ts'
import type { PersonRow } from '../account/index.ts'
import { createMembers, type Members } from './members.service.ts'
import { teamHandlers } from './teams.routes.ts'
import { createTeams, type Teams } from './teams.service.ts'
import type { UserActor } from '../../platform/authz/actor.ts'
import type { Tx } from '../../platform/db/tables.ts'
import { countTeams, loadTeam, type TeamRow } from './teams.store.ts'
import { figure } from '../../platform/health/figures.ts'

declare module '../../platform/features/services.ts' {
  interface Services {
    teams: Teams
    members: Members
    /** The person, if they belong to the team. */
    memberOf(teamId: string, userId: string | undefined): Promise<PersonRow | undefined>
  }
  interface Hooks {
    /** In the transaction that gives a member another role in the team. */
    'member.changed': (tx: Tx, teamId: string, userId: string, role: number) => Promise<void>
    /** In the transaction in which somebody, and no rule, gives a member another role; without one the membership ends. */
    'member.by-hand': (tx: Tx, teamId: string, userId: string, role: number | undefined) => Promise<void>
    /** In the transaction that makes a team of one's own for somebody who signed up. */
    'team.personal': (tx: Tx, actor: UserActor, team: TeamRow) => Promise<void>
  }
}

export const teamsFeature = defineFeature({
  name: 'teams',
  shares: ['teams', 'team_members'],
  provides: {
    teams: createTeams,
    members: createMembers,
    memberOf:
      ({ accounts, teams }) =>
      async (teamId, userId) => {
        const person = await accounts.find(userId)
        return person && (await teams.roleOf(teamId, person.id)) !== undefined ? person : undefined
      },
  },
  routes: ({ teams, members, teamTypes, audit, auditExport, billing }) =>
    teamHandlers(teams, members, teamTypes, audit, auditExport, billing.offer),
  targets: ({ database }) => ({
    team: {
      keys: ['teamId', 'teamSlug'],
      async load({ teamSlug, teamId, team }, userId) {
        // Devices are added with the team under its plain name.
        const id = teamId ?? team
        const by = id === undefined ? teamSlug !== undefined && { slug: teamSlug } : { id }
        const row = by ? await loadTeam(database.read, by, userId) : undefined
        return row && { teamId: row.id, role: row.role ?? undefined, team: row }
      },
    },
  }),
  figures: async ({ database }) => [figure('flowforge_teams', 'gauge', 'Teams.', [[await countTeams(database.read)]])],
})
