import { defineFeature } from '../../platform/features/feature.ts'
import { createQuotas, type Quotas } from './quotas.service.ts'
import { teamTypeHandlers } from './team-types.routes.ts'
import { createTeamTypes, type TeamTypes } from './team-types.service.ts'

declare module '../../platform/features/services.ts' {
  interface Services {
    teamTypes: TeamTypes
    quotas: Quotas
  }
}

export const teamTypesFeature = defineFeature({
  name: 'team-types',
  shares: ['team_types'],
  provides: { teamTypes: createTeamTypes, quotas: createQuotas },
  routes: ({ teamTypes, quotas }) => teamTypeHandlers(teamTypes, quotas),
})
