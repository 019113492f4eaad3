import * as z from 'zod/mini'
import { logLevels } from './constants.ts'
import { FlowFault, FlowNode, flowFaultText, LogEntry, type LogNode } from './instance-link.ts'
import { InstanceParams, PageMeta } from './primitives.ts'
import { may, route } from './route.ts'

const NodeId = z.string().check(z.minLength(1), z.maxLength(flowFaultText.name))

/**
 * Lines of at least a level, whose message holds a text in whatever case, and of a node: by its id, or by that of the tab,
 * subflow or subflow instance that it is in.
 */
const LogFilter = z.object({
  level: z.optional(z.enum(logLevels)),
  search: z.optional(z.string().check(z.maxLength(200))),
  node: z.optional(NodeId),
})
export type LogFilter = z.infer<typeof LogFilter>

const LogQuery = z.extend(LogFilter, {
  cursor: z.optional(z.string().check(z.regex(/^-?\d{1,20}$/, 'Not a valid cursor'))),
  limit: z.optional(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(1000))),
})

export const logRoutes = {
  'instance.logs': route({
    method: 'GET',
    path: '/api/v1/projects/:instanceId/logs',
    summary:
      'Log lines of an instance, oldest first. A filter scans part of the log per call, so a page can be empty and still have a next one',
    access: may('project:log', 'instance'),
    params: InstanceParams,
    query: LogQuery,
    reply: z.object({ meta: PageMeta, log: z.array(LogEntry) }),
    errors: ['project_suspended', 'connection_refused'],
  }),
  'instance.downloadLog': route({
    method: 'GET',
    path: '/api/v1/projects/:instanceId/logs/download',
    summary: 'Download the log of an instance, whole or filtered, as text or JSON lines',
    access: may('project:log', 'instance'),
    params: InstanceParams,
    query: z.extend(LogFilter, { format: z.prefault(z.enum(['text', 'ndjson']), 'text') }),
    errors: ['project_suspended', 'connection_refused'],
  }),
  'instance.node': route({
    method: 'GET',
    path: '/api/v1/projects/:instanceId/nodes/:nodeId',
    summary: 'Name and location of a deployed node, tab or subflow. 404 when it was deleted',
    access: may('project:log', 'instance'),
    params: z.extend(InstanceParams, { nodeId: NodeId }),
    reply: FlowNode,
    errors: [],
  }),
  'instance.errors': route({
    method: 'GET',
    path: '/api/v1/projects/:instanceId/errors',
    summary: 'Current errors of the running flows, latest first. Deploying a node clears its errors',
    access: may('project:log', 'instance'),
    params: InstanceParams,
    reply: z.object({ count: z.number(), errors: z.array(FlowFault) }),
    errors: [],
  }),
}

/** Is a line that this node wrote one of the node, tab, subflow or subflow instance with this id? */
export const isOfNode = ({ id, tab, path = [] }: LogNode, wanted: string): boolean =>
  [id, tab?.id, ...path.map((each) => each.id)].includes(wanted)
