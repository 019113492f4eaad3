import { type Member, roleName, type Team, type TeamSummary, type TeamType, type UserTeam } from '@app/contract'
import { iso } from '../../platform/clock.ts'
import { avatarUrl, type PersonRow, userSummaryView } from '../account/index.ts'
import { teamBilling } from '../billing/index.ts'
import { teamTypeView } from '../team-types/index.ts'
import type { TeamRow, TeamWithCounts } from './teams.store.ts'

export function teamSummaryView(row: Pick<TeamRow, 'id' | 'name' | 'slug'>, baseUrl: string): TeamSummary {
  return {
    id: row.id,
    name: row.name,
    slug: row.slug,
    avatar: avatarUrl(baseUrl, row.name),
    links: { self: `${baseUrl}/api/v1/teams/${row.id}` },
  }
}

function typeOf(row: TeamWithCounts): TeamType {
  const {
    type_id: id,
    type_name: name,
    type_description: description,
    type_active: active,
    type_position: position,
    type_properties: properties,
  } = row
  return teamTypeView({ id, name, description, active, position, properties })
}

/** View options of teams. `billingAt`: at this time, with their subscriptions; undefined while billing is off. */
interface ViewOptions {
  baseUrl: string
  billingAt: number | undefined
}

function billingOf(row: TeamWithCounts, now: number | undefined) {
  if (now === undefined) return {}
  const state = { status: row.billing_status, trial_ends_at: row.billing_trial_ends_at }
  return { billing: teamBilling(state, Number(row.instance_count), now) }
}

export function teamView(row: TeamWithCounts, { baseUrl, billingAt }: ViewOptions): Team {
  return {
    ...teamSummaryView(row, baseUrl),
    type: typeOf(row),
    instanceCount: Number(row.instance_count),
    memberCount: Number(row.member_count),
    createdAt: iso(row.created_at),
    updatedAt: iso(row.updated_at),
    ...billingOf(row, billingAt),
  }
}

export function userTeamView(row: TeamWithCounts & { role: number }, { baseUrl, billingAt }: ViewOptions): UserTeam {
  const { features } = typeOf(row).properties
  return {
    ...teamSummaryView(row, baseUrl),
    type: { id: row.type_id, name: row.type_name, ...(features ? { features } : {}) },
    role: row.role,
    roleName: roleName(row.role),
    instanceCount: Number(row.instance_count),
    memberCount: Number(row.member_count),
    createdAt: iso(row.created_at),
    ...billingOf(row, billingAt),
  }
}

export function memberView(row: PersonRow & { role: number }, baseUrl: string): Member {
  return { ...userSummaryView(row, baseUrl), role: row.role }
}
