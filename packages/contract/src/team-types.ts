import * as z from 'zod/mini'
import { limits } from './constants.ts'
import { Id, Ok, optionalText, TeamParams, text } from './primitives.ts'
import { may, route, signedInOrToken } from './route.ts'
import type { Switch } from './switches.ts'

/** Switches that a team type can take from its teams. One that is off on the platform is off for every team. */
export const teamFeatures = ['shared-library', 'devops-pipelines', 'ha', 'devices'] as const satisfies Switch[]
export type TeamFeature = (typeof teamFeatures)[number]

const whole = 'Must be a whole number'
/** Largest count; 0 or less means that there is no limit [MEMB-12]. */
const Limit = z.number().check(z.int(whole), z.maximum(1_000_000, 'At most 1000000'))
const Cents = z.number().check(z.int(whole), z.minimum(0, 'At least 0'), z.maximum(100_000_000, 'At most 100000000'))

/** How teams of a type may use one instance type. A team type that does not name it allows it without a limit. */
export const InstanceTypeRule = z.object({
  allowed: z.boolean(),
  /** Of this instance type, beside `runtimeLimit`. */
  limit: z.optional(Limit),
})
export type InstanceTypeRule = z.infer<typeof InstanceTypeRule>

/** Prices in cents a month, as people see them. Whatever a provider of payments needs to know is not told here. */
export const TeamTypeBilling = z.object({
  userCost: z.optional(Cents),
  deviceCost: z.optional(Cents),
})
export type TeamTypeBilling = z.infer<typeof TeamTypeBilling>

/** Limits, features and prices of a team type. What is left out has no limit, is on, and costs nothing. */
export const TeamTypeProperties = z.object({
  /** Members, together with those who are invited. */
  userLimit: z.optional(Limit),
  /** Instances of all types together. */
  runtimeLimit: z.optional(Limit),
  deviceLimit: z.optional(Limit),
  /** By the id of an instance type. */
  instanceTypes: z.optional(z.record(Id, InstanceTypeRule)),
  features: z.optional(
    z.partial(
      z.object({
        'shared-library': z.boolean(),
        'devops-pipelines': z.boolean(),
        ha: z.boolean(),
        devices: z.boolean(),
      }),
    ),
  ),
  billing: z.optional(TeamTypeBilling),
  /** Devices of a team that cost nothing. */
  deviceFreeAllocation: z.optional(z.number().check(z.int(whole), z.minimum(0, 'At least 0'), z.maximum(1_000_000))),
  /** A text that stands for the price, such as `$99/month`. Without it the price is that of a user. */
  billingDescription: z.optional(optionalText(200)),
})
export type TeamTypeProperties = z.infer<typeof TeamTypeProperties>

/** `description` is markdown. `order` is the place among the tiles. */
export const TeamType = z.object({
  id: Id,
  name: z.string(),
  description: z.string(),
  active: z.boolean(),
  order: z.number(),
  properties: TeamTypeProperties,
  /** Told to administrators alone. */
  teamCount: z.optional(z.number()),
})
export type TeamType = z.infer<typeof TeamType>

/** The limit that a number stands for; undefined: none [MEMB-12]. */
export const limitOf = (limit: number | undefined): number | undefined =>
  limit !== undefined && limit > 0 ? limit : undefined

/** Whether a team type costs anything, and the text of its price [TEAM-29] [TEAM-30]. */
export function teamTypePrice({ properties }: Pick<TeamType, 'properties'>): { isFree: boolean; billingPrice: string } {
  const cents = properties.billing?.userCost ?? 0
  if (properties.billingDescription) return { isFree: false, billingPrice: properties.billingDescription }
  const amount = (cents / 100).toFixed(cents % 100 === 0 ? 0 : 2)
  return { isFree: cents === 0, billingPrice: cents === 0 ? 'free' : `${amount} US$ per user per month` }
}

/** Does a team type leave its teams this feature? */
export const typeHas = ({ features }: TeamTypeProperties, name: Switch): boolean =>
  (features as Partial<Record<Switch, boolean>> | undefined)?.[name] !== false

const Markdown = optionalText(10_000)
const fields = {
  description: z.optional(Markdown),
  active: z.optional(z.boolean()),
  order: z.optional(z.number().check(z.int(whole), z.minimum(-10_000), z.maximum(10_000))),
  properties: z.optional(TeamTypeProperties),
}
export const TeamTypeInput = z.object({ name: text(limits.nameMax), ...fields })
export type TeamTypeInput = z.infer<typeof TeamTypeInput>
/** Fields that are not sent stay; `properties` are replaced as a whole. */
export const TeamTypePatch = z.object({ name: z.optional(text(limits.nameMax)), ...fields })
export type TeamTypePatch = z.infer<typeof TeamTypePatch>

/** How much of a limit is used; `limit` is null where there is none. */
export const Quota = z.object({ used: z.number(), limit: z.nullable(z.number()) })
export type Quota = z.infer<typeof Quota>

/** What a team uses of what its type allows. */
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
    summary: 'What a team uses of the limits of its type, or of those of another `type`',
    access: may('team:projects:list', 'team'),
    params: TeamParams,
    query: z.object({ type: z.optional(Id) }),
    reply: TeamQuotas,
    errors: ['invalid_team_type'],
  }),
}
