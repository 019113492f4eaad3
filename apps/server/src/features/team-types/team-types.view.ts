import { type TeamType, TeamTypeProperties } from '@app/contract'
import { jsonColumn } from '../../platform/db/json.ts'
import type { TeamTypeRow, TeamTypeWithUse } from './team-types.store.ts'

/** The limits, features and prices of a team type. */
export const teamTypeProperties = jsonColumn('team_types.properties', TeamTypeProperties)

export function teamTypeView(
  row: Pick<TeamTypeRow, 'id' | 'name' | 'description' | 'active' | 'position' | 'properties'>,
): TeamType {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    active: row.active === 1,
    order: row.position,
    properties: teamTypeProperties(row.properties, row.id),
  }
}

/** The same with how many teams have it, which administrators alone are told. */
export function usedTypeView(row: TeamTypeWithUse, admin: boolean): TeamType {
  return { ...teamTypeView(row), ...(admin ? { teamCount: Number(row.team_count) } : {}) }
}
