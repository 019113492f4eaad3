import * as z from 'zod/mini'
import { Extras } from './foreseen.ts'
import { Id, InstanceParams, Ok, page, Time } from './primitives.ts'
import { may, route } from './route.ts'
import { Difference, Drawing, DrawnBefore } from './snapshots.ts'

/**
 * Origin of a version of flows. `earlier` was there before versions were kept; `refused` was deployed on top of flows
 * that had been replaced meanwhile, and never ran.
 */
export const versionKinds = [
  'deploy',
  'import',
  'restore',
  'rollback',
  'push',
  'duplicate',
  'earlier',
  'refused',
] as const

/** `moved`: nodes of which only the position differs. Absent in older records, which count them as changed. */
const counts = { added: z.number(), changed: z.number(), moved: z.optional(z.number()), removed: z.number() }
/** The changes a version made to the flows before it. `tab` is the name of a tab; absent for nodes on no tab. */
export const FlowChanges = z.object({
  ...counts,
  tabs: z.array(z.object({ tab: z.optional(z.string()), ...counts })),
})
export type FlowChanges = z.infer<typeof FlowChanges>

export const FlowVersion = z.object({
  id: Id,
  createdAt: Time,
  kind: z.enum(versionKinds),
  /** The author, by the name at that time; absent where nobody is known. */
  user: z.optional(z.object({ id: Id, name: z.string() })),
  /** The person whom the instance named without showing that it was them. */
  claimedUser: z.optional(z.object({ id: Id, name: z.string() })),
  /** The deployment that brought it. */
  deployment: z.optional(Id),
  /** The version that was restored. */
  from: z.optional(z.object({ id: Id, createdAt: Time })),
  /** Number of its nodes. */
  nodes: z.number(),
  /** Absent where the flows are too large to be compared. */
  changes: z.optional(FlowChanges),
  /** These are the flows of the instance now. */
  current: z.boolean(),
})
export type FlowVersion = z.infer<typeof FlowVersion>

const VersionParams = z.extend(InstanceParams, { versionId: Id })

export const versionRoutes = {
  'version.list': route({
    method: 'GET',
    path: '/api/v1/projects/:instanceId/versions',
    summary: 'Versions of the flows of an instance, newest first',
    access: may('project:read', 'instance'),
    params: InstanceParams,
    reply: page('versions', FlowVersion),
    errors: [],
  }),
  'version.flows': route({
    method: 'GET',
    path: '/api/v1/projects/:instanceId/versions/:versionId/flows',
    summary: 'The flows of a version as a file, without credentials',
    access: may('project:flows:view', 'instance'),
    params: VersionParams,
    reply: z.array(z.looseObject({})),
    errors: [],
  }),
  'version.changes': route({
    method: 'GET',
    path: '/api/v1/projects/:instanceId/versions/:versionId/changes',
    summary: 'Compare a version with the current flows, or with the version `from`',
    access: may('project:flows:view', 'instance'),
    params: VersionParams,
    query: z.object({ from: z.optional(Id) }),
    reply: z.object({ changes: Difference, drawing: Drawing, was: DrawnBefore }),
    errors: [],
  }),
  'version.restore': route({
    method: 'POST',
    path: '/api/v1/projects/:instanceId/versions/:versionId/restore',
    summary: 'Restore a version of the flows. A running instance restarts',
    access: may('project:edit', 'instance'),
    params: VersionParams,
    body: z.prefault(z.object(Extras), {}),
    reply: Ok,
    errors: ['invalid_state'],
    audit: 'project.flow-restored',
    example: { reply: { status: 'okay' } },
  }),
}
