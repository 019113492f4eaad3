import * as z from 'zod/mini'
import { Id, optionalText } from './primitives.ts'
import type { Switch } from './switches.ts'

/** Switches that a team type can take from its teams. One that is off on the platform is off for every team. */
export const teamFeatures = ['shared-library', 'devops-pipelines', 'ha', 'devices'] as const satisfies Switch[]
export type TeamFeature = (typeof teamFeatures)[number]

const whole = 'Must be a whole number'
/** Largest count; 0 or less means that there is no limit [MEMB-12]. */
const Limit = z.number().check(z.int(whole), z.maximum(1_000_000, 'At most 1000000'))
const Cents = z.number().check(z.int(whole), z.minimum(0, 'At least 0'), z.maximum(100_000_000, 'At most 100000000'))

/** Rule of a team type for one instance type. A team type that does not name it allows it without a limit. */
export const InstanceTypeRule = z.object({
  allowed: z.boolean(),
  /** Largest count of this instance type; `runtimeLimit` holds as well. */
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
  const { userCost = 0, deviceCost = 0 } = properties.billing ?? {}
  if (properties.billingDescription) return { isFree: false, billingPrice: properties.billingDescription }
  if (userCost > 0) return { isFree: false, billingPrice: `${amountOf(userCost)} US$ per user per month` }
  if (deviceCost === 0) return { isFree: true, billingPrice: 'free' }
  return { isFree: false, billingPrice: `members free, ${amountOf(deviceCost)} US$ per device per month` }
}

const amountOf = (cents: number) => (cents / 100).toFixed(cents % 100 === 0 ? 0 : 2)

const isTeamFeature = (name: Switch): name is TeamFeature => (teamFeatures as readonly Switch[]).includes(name)

/** Does a team type leave its teams this feature? */
export const typeHas = ({ features }: TeamTypeProperties, name: Switch): boolean =>
  !isTeamFeature(name) || features?.[name] !== false
