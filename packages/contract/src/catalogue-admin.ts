import * as z from 'zod/mini'
import { BillingProperties, InstanceType, Stack, TemplateSummary } from './catalogue.ts'
import { limits } from './constants.ts'
import { DriverName } from './drivers.ts'
import { Job } from './jobs.ts'
import { Id, Ok, optionalText, text } from './primitives.ts'
import { may, route } from './route.ts'
import { PolicyInput, SettingsInput } from './settings-input.ts'
import { StackPropertiesInput } from './stack-properties.ts'

const name = text(limits.nameMax)
const Markdown = z.string().check(
  z.maxLength(10_000, 'At most 10000 characters'),
  z.refine((value) => !value.includes('\0'), 'Must not contain NUL characters'),
)
const typeFields = {
  active: z.optional(z.boolean()),
  description: z.optional(Markdown),
  order: z.optional(z.number().check(z.int('Must be a whole number'), z.minimum(-10_000), z.maximum(10_000))),
  defaultStack: z.optional(z.nullable(Id)),
  properties: z.optional(BillingProperties),
  /** One that the server has; null: its usual one. Instances that run move with their next start. */
  driver: z.optional(z.nullable(DriverName)),
}
export const InstanceTypeInput = z.object({ name, ...typeFields })
export type InstanceTypeInput = z.infer<typeof InstanceTypeInput>
export const InstanceTypePatch = z.object({ name: z.optional(name), ...typeFields })
export type InstanceTypePatch = z.infer<typeof InstanceTypePatch>

/** [ASTACK-11] */
export const StackName = z
  .string()
  .check(
    z.minLength(1, 'Required'),
    z.maxLength(limits.nameMax, `At most ${limits.nameMax} characters`),
    z.regex(/^[a-zA-Z0-9\-_/@.]*$/, 'Must only contain a-z 0-9 - _ / @ .'),
  )
const stackFields = {
  label: z.optional(optionalText(limits.nameMax)),
  active: z.optional(z.boolean()),
}
/** `replace`: the stack of which this is a new version; its type counts. */
export const StackInput = z.object({
  name: StackName,
  ...stackFields,
  projectType: Id,
  properties: StackPropertiesInput,
  replace: z.optional(Id),
})
export type StackInput = z.infer<typeof StackInput>
export const StackPatch = z.object({
  name: z.optional(StackName),
  ...stackFields,
  projectType: z.optional(Id),
  properties: z.optional(StackPropertiesInput),
})
export type StackPatch = z.infer<typeof StackPatch>

const templateFields = {
  active: z.optional(z.boolean()),
  description: z.optional(z.string().check(z.maxLength(1_000, 'At most 1000 characters'))),
  settings: z.optional(SettingsInput),
  policy: z.optional(PolicyInput),
}
/** Fields that are not sent are as in a new template or, with `source`, as in that one, including its secrets. */
export const TemplateInput = z.object({ name, ...templateFields, source: z.optional(Id) })
export type TemplateInput = z.output<typeof TemplateInput>
/**
 * Fields that are not sent stay. `revision` is the one that was read; if it has changed meanwhile, the call is
 * refused.
 */
export const TemplatePatch = z.object({
  name: z.optional(name),
  ...templateFields,
  revision: z.optional(z.number().check(z.int())),
})
export type TemplatePatch = z.output<typeof TemplatePatch>

const typeParams = z.object({ instanceTypeId: Id })
const stackParams = z.object({ stackId: Id })
const templateParams = z.object({ templateId: Id })

/** Management of templates, stacks and instance types by administrators. */
export const catalogueAdminRoutes = {
  'instanceType.create': route({
    method: 'POST',
    path: '/api/v1/project-types',
    summary: 'Create an instance type',
    access: may('project-type:create', 'platform'),
    body: InstanceTypeInput,
    reply: InstanceType,
    errors: ['invalid_name', 'invalid_stack'],
    audit: 'platform.project-type.created',
  }),
  'instanceType.update': route({
    method: 'PUT',
    path: '/api/v1/project-types/:instanceTypeId',
    summary: 'Update an instance type. Its billing can change only while it has no instances',
    access: may('project-type:edit', 'platform'),
    params: typeParams,
    body: InstanceTypePatch,
    reply: InstanceType,
    errors: ['invalid_name', 'invalid_stack', 'invalid_request'],
    audit: 'platform.project-type.updated',
  }),
  'instanceType.delete': route({
    method: 'DELETE',
    path: '/api/v1/project-types/:instanceTypeId',
    summary: 'Delete an instance type that has no instances. Its stacks lose their type',
    access: may('project-type:delete', 'platform'),
    params: typeParams,
    reply: Ok,
    errors: ['invalid_request'],
    audit: 'platform.project-type.deleted',
  }),
  'stack.create': route({
    method: 'POST',
    path: '/api/v1/stacks',
    summary: 'Create a stack, or a new version of one. It is downloaded and tested before it can be chosen',
    access: may('stack:create', 'platform'),
    body: StackInput,
    reply: Stack,
    errors: ['invalid_name', 'invalid_stack', 'invalid_project_type', 'invalid_request'],
    audit: 'platform.stack.created',
  }),
  'stack.update': route({
    method: 'PUT',
    path: '/api/v1/stacks/:stackId',
    summary: 'Update a stack. Of a stack in use only the label and whether it is active can change',
    access: may('stack:edit', 'platform'),
    params: stackParams,
    body: StackPatch,
    reply: Stack,
    errors: ['invalid_name', 'invalid_project_type', 'invalid_request'],
    audit: 'platform.stack.updated',
  }),
  'stack.delete': route({
    method: 'DELETE',
    path: '/api/v1/stacks/:stackId',
    summary: 'Delete a stack that no instance uses and that is not the newest version of another',
    access: may('stack:delete', 'platform'),
    params: stackParams,
    reply: Ok,
    errors: ['invalid_request'],
    audit: 'platform.stack.deleted',
  }),
  'stack.prepare': route({
    method: 'POST',
    path: '/api/v1/stacks/:stackId/actions/prepare',
    summary: 'Retry a stack that could not be prepared',
    access: may('stack:edit', 'platform'),
    params: stackParams,
    reply: Stack,
    errors: [],
  }),
  'stack.jobs': route({
    method: 'GET',
    path: '/api/v1/stacks/:stackId/jobs',
    summary: 'Recent preparations of a stack with their steps, newest first',
    access: may('stack:edit', 'platform'),
    params: stackParams,
    reply: z.object({ count: z.number(), jobs: z.array(Job) }),
    errors: [],
  }),
  'template.create': route({
    method: 'POST',
    path: '/api/v1/templates',
    summary: 'Create a template',
    access: may('template:create', 'platform'),
    body: TemplateInput,
    reply: TemplateSummary,
    errors: ['invalid_name', 'invalid_template', 'invalid_request'],
    audit: 'platform.template.created',
    bodyLimit: 1024 * 1024,
  }),
  'template.update': route({
    method: 'PUT',
    path: '/api/v1/templates/:templateId',
    summary: 'Update a template. Refused when somebody else changed it since it was read',
    access: may('template:edit', 'platform'),
    params: templateParams,
    body: TemplatePatch,
    reply: TemplateSummary,
    errors: ['invalid_name', 'outdated', 'invalid_request'],
    audit: 'platform.template.updated',
    bodyLimit: 1024 * 1024,
  }),
  'template.delete': route({
    method: 'DELETE',
    path: '/api/v1/templates/:templateId',
    summary: 'Delete a template that no instance uses',
    access: may('template:delete', 'platform'),
    params: templateParams,
    reply: Ok,
    errors: ['invalid_request'],
    audit: 'platform.template.deleted',
  }),
}
