import * as z from 'zod/mini'
import { Id, Links, page, PageQuery, Time } from './primitives.ts'
import { may, route } from './route.ts'
import { UserSummary } from './account.ts'
import { InstanceSettings } from './settings.ts'

export const InstanceType = z.object({
  id: Id,
  name: z.string(),
  active: z.boolean(),
  description: z.string(),
  order: z.number(),
  properties: z.looseObject({ billingDescription: z.optional(z.string()) }),
  defaultStack: z.nullable(Id),
  createdAt: Time,
})
export type InstanceType = z.infer<typeof InstanceType>

export const StackProperties = z.object({
  nodered: z.string().check(z.regex(/^\d+\.\d+\.\d+$/, 'An exact version such as 5.0.7')),
  memory: z.number().check(z.int(), z.minimum(64), z.maximum(65_536)),
  /** The Node.js it runs on; without it, the one of the platform. */
  nodejs: z.optional(z.string().check(z.regex(/^\d+\.\d+\.\d+$/, 'An exact version such as 24.21.0'))),
})
export type StackProperties = z.infer<typeof StackProperties>

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
  links: Links,
})
export type TemplateSummary = z.infer<typeof TemplateSummary>

export const Template = z.extend(TemplateSummary, { settings: InstanceSettings, policy: z.looseObject({}) })
export type Template = z.infer<typeof Template>

const TypeFilter = z.optional(z.enum(['active', 'inactive', 'all']))

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
    summary: 'Stacks: which Node-RED an instance runs',
    access: may('stack:list', 'platform'),
    query: z.extend(PageQuery, { filter: TypeFilter, projectType: z.optional(Id) }),
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
    summary: 'Templates: the settings an instance starts with',
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
