import * as z from 'zod/mini'
import { limits } from './constants.ts'
import { UserSummary } from './account.ts'
import { AllowStopped } from './foreseen.ts'
import { Id, InstanceParams, Ok, page, PageQuery, Time } from './primitives.ts'
import { may, orWider, route } from './route.ts'
import { ModuleName, ModuleVersion } from './settings-input.ts'

const anyObject = z.looseObject({})
const Modules = z.record(z.string(), z.string())

/** The contents of an instance at a time: flows, credentials, variables, modules and settings. */
export const Snapshot = z.object({
  id: Id,
  name: z.string(),
  description: z.string(),
  createdAt: Time,
  updatedAt: Time,
  /** Absent when the person is gone, or when the platform took it by itself. */
  user: z.optional(UserSummary),
  /** Modules by their names, with the version of each; Node-RED is one of them. */
  modules: z.optional(Modules),
  /** Number of devices that run it, as their agents say. */
  deviceCount: z.number(),
  /** The platform took it before it replaced what was there. */
  automatic: z.optional(z.literal(true)),
})
export type Snapshot = z.infer<typeof Snapshot>

export const SnapshotCreate = z.object({
  /** Judged by the handler, since an empty one has a code of its own (400 invalid_name). */
  name: z.string().check(z.maxLength(limits.nameMax)),
  description: z.optional(
    z.string().check(
      z.maxLength(2_000),
      z.refine((value) => !value.includes('\0'), 'Must not contain NUL characters'),
    ),
  ),
  /** Have the devices of the instance run it. */
  setAsTarget: z.optional(z.boolean()),
  /** With `nodes` it may be a target that has no enabled nodes. */
  allowStopped: AllowStopped,
  /** Instead of what the instance holds: flows of another place, their credentials and the secret these are under. */
  flows: z.optional(z.array(anyObject)),
  credentials: z.optional(anyObject),
  credentialSecret: z.optional(z.string().check(z.maxLength(1_000))),
  settings: z.optional(z.object({ modules: z.optional(z.record(ModuleName, ModuleVersion)) })),
})
export type SnapshotCreate = z.infer<typeof SnapshotCreate>

const Change = z.enum(['added', 'changed', 'removed'])
export type Change = z.infer<typeof Change>

/** A variable of a flow, group or subflow. A secret one (type `cred`) has no value here. */
const FlowVariable = z.object({
  type: z.string(),
  value: z.optional(z.string()),
  /** Definition of its field in the editor, as JSON; of a subflow. */
  ui: z.optional(z.string()),
})
export const VariableChange = z.object({
  name: z.string(),
  change: Change,
  old: z.optional(FlowVariable),
  new: z.optional(FlowVariable),
})
export type VariableChange = z.infer<typeof VariableChange>

/**
 * One property of a node before and after, as text: a text as it is, everything else as JSON. Credentials have neither.
 */
export const PropertyChange = z.object({
  key: z.string(),
  old: z.optional(z.string()),
  new: z.optional(z.string()),
  /** Instead of both, where the property is a list of variables: those that differ. */
  variables: z.optional(z.array(VariableChange)),
})
export type PropertyChange = z.infer<typeof PropertyChange>

export const NodeChange = z.object({
  id: z.string(),
  type: z.string(),
  label: z.string(),
  /** The label of the tab or subflow it stands in; absent for what stands in none. */
  flow: z.optional(z.string()),
  /** `moved`: only its position or size on the canvas differs. */
  change: z.enum(['added', 'changed', 'moved', 'removed']),
  /** Its position or size differs; also of a node that changed as well. */
  moved: z.optional(z.literal(true)),
  /**
   * For a changed node, the properties that differ. For an added or removed one, texts of several lines, such as
   * code.
   */
  properties: z.array(PropertyChange),
})
export type NodeChange = z.infer<typeof NodeChange>

/** From which stack to which, by their labels. */
export const StackChange = z.object({ old: z.string(), new: z.string() })

/** The differences between two contents of an instance; no value of a variable, setting or credential. */
export const Difference = z.object({
  nodes: z.array(NodeChange),
  modules: z.array(z.object({ name: z.string(), old: z.optional(z.string()), new: z.optional(z.string()) })),
  env: z.array(z.object({ name: z.string(), change: Change })),
  settings: z.array(z.object({ key: z.string(), change: Change })),
  stack: z.optional(StackChange),
  /** Names of the nodes that values of properties refer to, by their ids. */
  names: z.record(z.string(), z.string()),
})
export type Difference = z.infer<typeof Difference>

/** Nodes, each with what is needed to draw it. */
export const Drawing = z.array(z.looseObject({ id: z.string(), type: z.string() }))
export type Drawing = z.infer<typeof Drawing>
/** Changed and moved nodes as they were drawn before, where that differs. */
export const DrawnBefore = Drawing

const SnapshotParams = z.extend(InstanceParams, { snapshotId: Id })
const path = '/api/v1/projects/:instanceId/snapshots'

export const snapshotRoutes = {
  'snapshot.list': route({
    method: 'GET',
    path,
    summary: 'The snapshots of an instance, newest first',
    access: may('project:snapshot:list', 'instance'),
    params: InstanceParams,
    query: PageQuery,
    reply: page('snapshots', Snapshot),
    errors: [],
  }),
  'snapshot.create': route({
    method: 'POST',
    path,
    summary: 'Create a snapshot of an instance, or of the flows in the request',
    access: orWider(
      may('project:snapshot:create', 'instance'),
      'project:snapshot:set-target',
      z.looseObject({ setAsTarget: z.optional(z.literal(false)) }),
    ),
    params: InstanceParams,
    body: SnapshotCreate,
    reply: Snapshot,
    errors: ['invalid_name', 'invalid_credentials_secret', 'flows_not_started', 'too_large'],
    audit: 'project.snapshot.created',
    bodyLimit: limits.flowsBytes,
    example: { body: { name: 'Before the new oven', description: 'Line 1 runs well' } },
  }),
  'snapshot.get': route({
    method: 'GET',
    path: `${path}/:snapshotId`,
    summary: 'One snapshot',
    access: may('project:snapshot:read', 'instance'),
    params: SnapshotParams,
    reply: Snapshot,
    errors: [],
  }),
  'snapshot.flows': route({
    method: 'GET',
    path: `${path}/:snapshotId/flows`,
    summary: 'The flows of a snapshot, without credentials',
    access: may('project:snapshot:read', 'instance'),
    params: SnapshotParams,
    reply: z.object({ flows: z.array(anyObject) }),
    errors: [],
  }),
  'snapshot.changes': route({
    method: 'GET',
    path: `${path}/:snapshotId/changes`,
    summary: 'Compare a snapshot with the current contents of the instance, or with the snapshot `from`',
    access: may('project:snapshot:read', 'instance'),
    params: SnapshotParams,
    query: z.object({ from: z.optional(Id) }),
    /** `removed`: what it takes away, to be drawn. */
    reply: z.extend(Difference, { removed: Drawing, was: DrawnBefore }),
    errors: [],
  }),
  'snapshot.delete': route({
    method: 'DELETE',
    path: `${path}/:snapshotId`,
    summary: 'Delete a snapshot',
    access: may('project:snapshot:delete', 'instance'),
    params: SnapshotParams,
    reply: Ok,
    errors: ['invalid_state'],
    audit: 'project.snapshot.deleted',
  }),
}
