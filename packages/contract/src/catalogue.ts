import * as z from 'zod/mini'
import { DriverName } from './drivers.ts'
import { Id, Links, page, PageQuery, Time } from './primitives.ts'
import { may, route } from './route.ts'
import { StackProperties } from './stack-properties.ts'
import { UserSummary } from './account.ts'
import { InstanceSettings } from './settings.ts'

export const BillingProperties = z.partial(
  z.object({
    billingProductId: z.string().check(z.maxLength(200)),
    billingPriceId: z.string().check(z.maxLength(200)),
    /** Price and interval, such as `$10/month`. */
    billingDescription: z.string().check(z.maxLength(200)),
  }),
)

/** `description` is markdown. */
export const InstanceType = z.object({
  id: Id,
  name: z.string(),
  active: z.boolean(),
  description: z.string(),
  order: z.number(),
  properties: BillingProperties,
  defaultStack: z.nullable(Id),
  /** The driver that starts its instances; null: the usual one of the server. */
  driver: z.nullable(DriverName),
  createdAt: Time,
  /** These two are told to administrators alone. */
  instanceCount: z.optional(z.number()),
  stackCount: z.optional(z.number()),
})
export type InstanceType = z.infer<typeof InstanceType>

/** From `waiting` on the platform fetches a stack and starts it once on trial; only a `ready` one can be chosen. */
export const StackState = z.enum(['waiting', 'installing', 'verifying', 'ready', 'failed'])
export type StackState = z.infer<typeof StackState>

export const Stack = z.object({
  id: Id,
  name: z.string(),
  label: z.string(),
  active: z.boolean(),
  projectType: z.optional(Id),
  projectTypeName: z.optional(z.string()),
  properties: StackProperties,
  /** `reason`: why it failed, in one sentence. */
  meta: z.object({ state: StackState, reason: z.optional(z.string()) }),
  replacedBy: z.optional(Id),
  createdAt: Time,
  /** Told to administrators alone. */
  instanceCount: z.optional(z.number()),
  links: Links,
})
export type Stack = z.infer<typeof Stack>

export const TemplateSummary = z.object({
  id: Id,
  name: z.string(),
  description: z.string(),
  active: z.boolean(),
  instanceCount: z.number(),
  createdAt: Time,
  owner: z.optional(UserSummary),
  /** Counts changes: who saves over another one than was read is told. */
  revision: z.number(),
  links: Links,
})
export type TemplateSummary = z.infer<typeof TemplateSummary>

export const Template = z.extend(TemplateSummary, { settings: InstanceSettings, policy: z.looseObject({}) })
export type Template = z.infer<typeof Template>

const TypeFilter = z.optional(z.enum(['active', 'inactive', 'all']))
const StackFilter = z.optional(
  z.union([
    z.enum(['active', 'inactive', 'all']),
    z.templateLiteral(['replacedBy:', z.string().check(z.regex(/^[A-Za-z0-9_-]{1,64}$/))]),
  ]),
)

export const catalogueRoutes = {
  'instanceType.list': route({
    method: 'GET',
    path: '/api/v1/project-types',
    summary: 'Instance types, by order then name',
    access: may('project-type:list', 'platform'),
    query: z.extend(PageQuery, { filter: TypeFilter }),
    reply: page('types', InstanceType),
    errors: [],
  }),
  'instanceType.get': route({
    method: 'GET',
    path: '/api/v1/project-types/:instanceTypeId',
    summary: 'One instance type',
    access: may('project-type:read', 'platform'),
    params: z.object({ instanceTypeId: Id }),
    reply: InstanceType,
    errors: [],
  }),
  'stack.list': route({
    method: 'GET',
    path: '/api/v1/stacks',
    summary: 'Stacks, each with the Node-RED version that its instances run',
    access: may('stack:list', 'platform'),
    query: z.extend(PageQuery, { filter: StackFilter, projectType: z.optional(Id) }),
    reply: page('stacks', Stack),
    errors: [],
  }),
  'stack.get': route({
    method: 'GET',
    path: '/api/v1/stacks/:stackId',
    summary: 'One stack',
    access: may('stack:read', 'platform'),
    params: z.object({ stackId: Id }),
    reply: Stack,
    errors: [],
  }),
  'template.list': route({
    method: 'GET',
    path: '/api/v1/templates',
    summary: 'Templates, each with the initial settings of its instances',
    access: may('template:list', 'platform'),
    query: PageQuery,
    reply: page('templates', TemplateSummary),
    errors: [],
  }),
  'template.get': route({
    method: 'GET',
    path: '/api/v1/templates/:templateId',
    summary: 'One template with settings and policy',
    access: may('template:read', 'platform'),
    params: z.object({ templateId: Id }),
    reply: Template,
    errors: [],
  }),
}
