import { jsonColumn } from '../../platform/db/json.ts'
import { type Member, roleName, type Team, type TeamSummary, TeamType, type UserTeam } from '@app/contract'
import { iso } from '../../platform/clock.ts'
import { avatarUrl, type UserRow, userSummaryView } from '../account/index.ts'
import type { TeamRow, TeamTypeRow, TeamWithCounts } from './teams.store.ts'

export function teamSummaryView(row: Pick<TeamRow, 'id' | 'name' | 'slug'>, baseUrl: string): TeamSummary {
  return {
    id: row.id,
    name: row.name,
    slug: row.slug,
    avatar: avatarUrl(baseUrl, row.name),
    links: { self: `${baseUrl}/api/v1/teams/${row.id}` },
  }
}

/** The limits and features of a team type. */
const teamTypeProperties = jsonColumn('team_types.properties', TeamType.shape.properties)

export function teamTypeView(
  row: Pick<TeamTypeRow, 'id' | 'name' | 'description' | 'active' | 'properties'>,
): TeamType {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    active: row.active === 1,
    properties: teamTypeProperties(row.properties, row.id),
  }
}

function typeOf(row: TeamWithCounts): TeamType {
  const {
    type_id: id,
    type_name: name,
    type_description: description,
    type_active: active,
    type_properties: properties,
  } = row
  return teamTypeView({ id, name, description, active, properties })
}

export function teamView(row: TeamWithCounts, baseUrl: string): Team {
  return {
    ...teamSummaryView(row, baseUrl),
    type: typeOf(row),
    instanceCount: Number(row.instance_count),
    memberCount: Number(row.member_count),
    createdAt: iso(row.created_at),
    updatedAt: iso(row.updated_at),
  }
}

export function userTeamView(row: TeamWithCounts & { role: number }, baseUrl: string): UserTeam {
  return {
    ...teamSummaryView(row, baseUrl),
    type: { id: row.type_id, name: row.type_name },
    role: row.role,
    roleName: roleName(row.role),
    instanceCount: Number(row.instance_count),
    memberCount: Number(row.member_count),
    createdAt: iso(row.created_at),
  }
}

export function memberView(row: UserRow & { role: number }, baseUrl: string): Member {
  return { ...userSummaryView(row, baseUrl), role: row.role }
}
