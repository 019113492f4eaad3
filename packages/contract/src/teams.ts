import * as z from 'zod/mini'
import { UserSummary } from './account.ts'
import { AuditExportQuery, AuditPage, AuditQuery } from './audit.ts'
import { TeamBilling } from './billing.ts'
import { limits, patterns, reservedSlugs } from './constants.ts'
import { Id, Links, Ok, page, PageMeta, PageQuery, TeamParams, Time, text } from './primitives.ts'
import { may, route, signedInOrToken, withinReach } from './route.ts'
import { TeamType, TeamTypeProperties } from './team-types.ts'

export const TeamName = text(limits.nameMax).check(
  z.refine((name) => !name.includes('://'), 'Team name can not contain URL'),
)
export const Slug = z
  .string()
  .check(
    z.minLength(1, 'Must not be blank'),
    z.maxLength(limits.slugMax),
    z.regex(patterns.slug, 'Must only contain a-z 0-9 - _'),
  )

/** The slug a name suggests: lower case, spaces to dashes, everything else removed [TEAM-11]. */
export function slugFor(name: string): string {
  const slug = name
    .toLowerCase()
    .replace(/\s+/g, '-')
    .replace(/[^a-z0-9_-]/g, '')
    .slice(0, limits.slugMax)
  return reservedSlugs.includes(slug) ? `${slug}-team` : slug
}

export const TeamSummary = z.object({ id: Id, name: z.string(), slug: z.string(), avatar: z.string(), links: Links })
export type TeamSummary = z.infer<typeof TeamSummary>

export const Team = z.extend(TeamSummary, {
  type: TeamType,
  instanceCount: z.number(),
  memberCount: z.number(),
  createdAt: Time,
  updatedAt: Time,
  billing: z.optional(TeamBilling),
})
export type Team = z.infer<typeof Team>

/** A team as it stands in the list of somebody's teams, with their role in it. */
export const UserTeam = z.extend(TeamSummary, {
  /** `features`: those that the type takes from the team are false. */
  type: z.object({ id: Id, name: z.string(), features: TeamTypeProperties.shape.features }),
  role: z.number(),
  roleName: z.string(),
  instanceCount: z.number(),
  memberCount: z.number(),
  createdAt: Time,
  billing: z.optional(TeamBilling),
  /** The person's roles in single applications, by their ids; absent: none. */
  applicationRoles: z.optional(z.record(z.string(), z.number())),
})
export type UserTeam = z.infer<typeof UserTeam>

export const Member = z.extend(UserSummary, { role: z.number() })
export type Member = z.infer<typeof Member>

const MemberParams = z.object({ teamId: Id, userId: Id })

export const TeamCreate = z.object({ name: TeamName, slug: z.optional(Slug), type: Id })
export type TeamCreate = z.infer<typeof TeamCreate>
export const TeamPatch = z.partial(z.object({ name: TeamName, slug: Slug }))
export type TeamPatch = z.infer<typeof TeamPatch>

export const teamRoutes = {
  'team.mine': route({
    method: 'GET',
    path: '/api/v1/user/teams',
    summary: 'The teams of the signed-in user',
    access: may('user:team:list', 'self'),
    reply: z.object({ meta: PageMeta, count: z.number(), teams: z.array(UserTeam) }),
    errors: [],
  }),
  'team.types': route({
    method: 'GET',
    path: '/api/v1/team-types',
    summary: 'Active team types',
    access: signedInOrToken,
    query: z.object({ filter: z.optional(z.enum(['active', 'inactive', 'all'])) }),
    reply: page('types', TeamType),
    errors: [],
  }),
  'team.list': route({
    method: 'GET',
    path: '/api/v1/teams',
    summary: 'All teams, oldest first; `query` matches the start of words in name or slug, or the id',
    access: may('team:list', 'platform'),
    query: PageQuery,
    reply: page('teams', Team),
    errors: [],
  }),
  'team.create': route({
    method: 'POST',
    path: '/api/v1/teams',
    summary: 'Create a team and become its owner',
    access: may('team:create', 'platform'),
    body: TeamCreate,
    /** `billingURL`: where the payment details are entered; absent while billing is off or its provider is away. */
    reply: z.extend(Team, { billingURL: z.optional(z.string()) }),
    errors: ['invalid_slug', 'invalid_team_type'],
    audit: 'team.created',
    example: { body: { name: 'Example Bakery', slug: 'example-bakery', type: 'ty01' } },
  }),
  'team.checkSlug': route({
    method: 'POST',
    path: '/api/v1/teams/check-slug',
    summary: 'Check whether a slug is free',
    access: may('team:create', 'platform'),
    body: z.object({ slug: z.string().check(z.maxLength(limits.slugMax)) }),
    reply: Ok,
    errors: ['invalid_slug'],
    example: { body: { slug: 'example-bakery' }, reply: { status: 'okay' } },
  }),
  'team.get': route({
    method: 'GET',
    path: '/api/v1/teams/:teamId',
    summary: 'One team',
    access: withinReach(may('team:read', 'team')),
    params: TeamParams,
    reply: Team,
    errors: [],
  }),
  'team.getBySlug': route({
    method: 'GET',
    path: '/api/v1/teams/slug/:teamSlug',
    summary: 'One team, by its slug',
    access: withinReach(may('team:read', 'team')),
    params: z.object({ teamSlug: z.string().check(z.maxLength(limits.slugMax)) }),
    reply: Team,
    errors: [],
  }),
  'team.update': route({
    method: 'PUT',
    path: '/api/v1/teams/:teamId',
    summary: 'Update the name or slug of a team',
    access: may('team:edit', 'team'),
    params: TeamParams,
    body: TeamPatch,
    reply: Team,
    errors: ['invalid_slug'],
    audit: 'team.settings.updated',
    example: { body: { name: 'Example Bakery' } },
  }),
  'team.changeType': route({
    method: 'PUT',
    path: '/api/v1/teams/:teamId/type',
    summary: 'Give a team another type. Nothing stops in a team that exceeds its limits, but it cannot add anything',
    access: may('team:change-type', 'team'),
    params: TeamParams,
    body: z.object({ type: Id }),
    reply: Team,
    errors: ['invalid_team_type'],
    audit: 'team.type.changed',
    example: { body: { type: 'ty01' } },
  }),
  'team.delete': route({
    method: 'DELETE',
    path: '/api/v1/teams/:teamId',
    summary: 'Delete a team without applications',
    access: may('team:delete', 'team'),
    params: TeamParams,
    reply: Ok,
    errors: ['invalid_request'],
    audit: 'team.deleted',
    example: { reply: { status: 'okay' } },
  }),
  'team.role': route({
    method: 'GET',
    path: '/api/v1/teams/:teamId/user',
    summary: "The caller's role in a team; 99 for a visiting administrator",
    access: withinReach(may('team:read', 'team')),
    params: TeamParams,
    reply: z.object({ role: z.number() }),
    errors: [],
  }),
  'team.members': route({
    method: 'GET',
    path: '/api/v1/teams/:teamId/members',
    summary: 'The members of a team',
    access: may('team:user:list', 'team'),
    params: TeamParams,
    reply: z.object({ meta: PageMeta, count: z.number(), members: z.array(Member) }),
    errors: [],
  }),
  'team.changeRole': route({
    method: 'PUT',
    path: '/api/v1/teams/:teamId/members/:userId',
    summary: 'Change the role of a member, at once. The only owner is refused',
    access: may('team:user:change-role', 'team'),
    params: MemberParams,
    body: z.object({ role: z.int() }),
    reply: Ok,
    errors: ['invalid_team_role', 'invalid_request'],
    audit: 'team.user.role-changed',
    example: { body: { role: 30 }, reply: { status: 'okay' } },
  }),
  'team.removeMember': route({
    method: 'DELETE',
    path: '/api/v1/teams/:teamId/members/:userId',
    summary: 'Remove a member, or leave a team. The only owner is refused',
    access: may('team:user:remove', 'team'),
    params: MemberParams,
    reply: Ok,
    errors: ['invalid_request'],
    audit: 'team.user.removed',
    example: { reply: { status: 'okay' } },
  }),
  'team.auditLog': route({
    method: 'GET',
    path: '/api/v1/teams/:teamId/audit-log',
    summary: "A team's audit log, newest first",
    access: may('team:audit-log', 'team'),
    params: TeamParams,
    query: AuditQuery,
    reply: AuditPage,
    errors: [],
  }),
  'team.exportAuditLog': route({
    method: 'GET',
    path: '/api/v1/teams/:teamId/audit-log/export',
    summary: 'Export the filtered audit log as CSV or JSON. The export is logged',
    access: may('team:audit-log', 'team'),
    params: TeamParams,
    query: AuditExportQuery,
    errors: [],
  }),
}
