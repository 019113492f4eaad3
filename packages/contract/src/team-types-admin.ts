import * as z from 'zod/mini'
import { limits } from './constants.ts'
import { Id, Ok, optionalText, TeamParams, text } from './primitives.ts'
import { may, route, signedInOrToken } from './route.ts'
import { TeamType, TeamTypeProperties } from './team-types.ts'

const Markdown = optionalText(10_000)
const fields = {
  description: z.optional(Markdown),
  active: z.optional(z.boolean()),
  order: z.optional(z.number().check(z.int('Must be a whole number'), z.minimum(-10_000), z.maximum(10_000))),
  properties: z.optional(TeamTypeProperties),
}
export const TeamTypeInput = z.object({ name: text(limits.nameMax), ...fields })
export type TeamTypeInput = z.infer<typeof TeamTypeInput>
/** Fields that are not sent stay; `properties` are replaced as a whole. */
export const TeamTypePatch = z.object({ name: z.optional(text(limits.nameMax)), ...fields })
export type TeamTypePatch = z.infer<typeof TeamTypePatch>

/** Use of a limit; `limit` is null where there is none. */
export const Quota = z.object({ used: z.number(), limit: z.nullable(z.number()) })
export type Quota = z.infer<typeof Quota>

/** The use of each limit of a team. */
export const TeamQuotas = z.object({
  type: z.object({ id: Id, name: z.string() }),
  /** Members, together with those who are invited. */
  members: Quota,
  instances: Quota,
  devices: Quota,
  /** The active instance types, and those that the team uses. */
  instanceTypes: z.array(z.extend(Quota, { id: Id, name: z.string(), allowed: z.boolean() })),
  /** Whether the type leaves the team each feature; one that is off on the platform is off all the same. */
  features: z.object({
    'shared-library': z.boolean(),
    'devops-pipelines': z.boolean(),
    ha: z.boolean(),
    devices: z.boolean(),
  }),
})
export type TeamQuotas = z.infer<typeof TeamQuotas>

/** A limit that a team exceeds. An instance type that is not allowed has the limit 0. */
export const Exceeded = z.object({
  what: z.enum(['members', 'instances', 'devices', 'instanceType']),
  instanceType: z.optional(z.object({ id: Id, name: z.string() })),
  used: z.number(),
  limit: z.number(),
})
export type Exceeded = z.infer<typeof Exceeded>

/** Teams that would exceed the limits of a type; at most a hundred are listed, `count` is how many there are. */
export const TeamTypePreview = z.object({
  count: z.number(),
  teams: z.array(z.object({ id: Id, name: z.string(), slug: z.string(), exceeds: z.array(Exceeded) })),
})
export type TeamTypePreview = z.infer<typeof TeamTypePreview>

const TeamTypeParams = z.object({ teamTypeId: Id })

export const teamTypeRoutes = {
  'teamType.get': route({
    method: 'GET',
    path: '/api/v1/team-types/:teamTypeId',
    summary: 'One team type',
    access: signedInOrToken,
    params: TeamTypeParams,
    reply: TeamType,
    errors: [],
  }),
  'teamType.create': route({
    method: 'POST',
    path: '/api/v1/team-types',
    summary: 'Create a team type',
    access: may('team-type:create', 'platform'),
    body: TeamTypeInput,
    reply: TeamType,
    errors: ['invalid_name', 'invalid_project_type'],
    audit: 'platform.team-type.created',
    example: { body: { name: 'Starter', properties: { userLimit: 5, runtimeLimit: 2 } } },
  }),
  'teamType.update': route({
    method: 'PUT',
    path: '/api/v1/team-types/:teamTypeId',
    summary: 'Update a team type. Nothing stops in teams that exceed its limits, but they cannot add anything',
    access: may('team-type:edit', 'platform'),
    params: TeamTypeParams,
    body: TeamTypePatch,
    reply: TeamType,
    errors: ['invalid_name', 'invalid_project_type'],
    audit: 'platform.team-type.updated',
  }),
  'teamType.preview': route({
    method: 'POST',
    path: '/api/v1/team-types/:teamTypeId/preview',
    summary: 'The teams that would exceed the limits of a team type after a change, which is not made',
    access: may('team-type:edit', 'platform'),
    params: TeamTypeParams,
    body: TeamTypePatch,
    reply: TeamTypePreview,
    errors: ['invalid_project_type'],
  }),
  'teamType.delete': route({
    method: 'DELETE',
    path: '/api/v1/team-types/:teamTypeId',
    summary: 'Delete a team type that no team has',
    access: may('team-type:delete', 'platform'),
    params: TeamTypeParams,
    reply: Ok,
    errors: ['invalid_request'],
    audit: 'platform.team-type.deleted',
  }),
  'teamType.quotas': route({
    method: 'GET',
    path: '/api/v1/teams/:teamId/quotas',
    summary: 'Usage of a team against the limits of its type, or of another `type`',
    access: may('team:projects:list', 'team'),
    params: TeamParams,
    query: z.object({ type: z.optional(Id) }),
    reply: TeamQuotas,
    errors: ['invalid_team_type'],
  }),
}
