import * as z from 'zod/mini'
import { InstanceParams, Time } from './primitives.ts'
import { may, route } from './route.ts'

/** The scope of a context value: all flows, one flow, or one node. */
export const contextKinds = ['global', 'flow', 'node'] as const

export const ContextValue = z.object({
  /** As Node-RED names it: `global`, the id of a flow, or the id of a node with a colon and that of its flow. */
  scope: z.string(),
  kind: z.enum(contextKinds),
  /** The name of the flow or node; absent where the stored flows have no such node. */
  name: z.optional(z.string()),
  /** Name of the flow that the node is in. */
  flow: z.optional(z.string()),
  key: z.string(),
  /** Bytes of the key and its value as JSON. */
  size: z.number(),
  updatedAt: Time,
})
export type ContextValue = z.infer<typeof ContextValue>

/** `count` is of all values; only the largest are listed. */
export const InstanceContext = z.object({
  values: z.array(ContextValue),
  count: z.number(),
  size: z.number(),
  limit: z.number(),
})
export type InstanceContext = z.infer<typeof InstanceContext>

const text = (max: number) => z.optional(z.string().check(z.minLength(1), z.maxLength(max)))

export const contextRoutes = {
  'context.get': route({
    method: 'GET',
    path: '/api/v1/projects/:instanceId/context',
    summary:
      'Keys and sizes in the persistent context of a running instance, without values: the 500 largest, largest first',
    access: may('project:read', 'instance'),
    params: InstanceParams,
    reply: InstanceContext,
    errors: ['project_suspended', 'connection_refused'],
  }),
  'context.delete': route({
    method: 'DELETE',
    path: '/api/v1/projects/:instanceId/context',
    summary:
      'Delete from the persistent context: one value (`scope` and `key`), one scope (`scope`), or everything (neither)',
    access: may('project:flows:edit', 'instance'),
    params: InstanceParams,
    query: z.object({ scope: text(200), key: text(256) }),
    reply: z.object({ deleted: z.number() }),
    errors: ['project_suspended', 'connection_refused'],
    audit: 'project.context.deleted',
    example: { reply: { deleted: 1 } },
  }),
}
