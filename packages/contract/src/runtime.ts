import * as z from 'zod/mini'
import { limits } from './constants.ts'
import { EnvironmentKind } from './instances.ts'
import { LibraryAnswer } from './library.ts'
import { InstanceParams } from './primitives.ts'
import { EventReport } from './reported-events.ts'
import { anyone, ownInstance, route } from './route.ts'

const anyObject = z.looseObject({})
const StorageParams = z.extend(InstanceParams, { kind: z.enum(['credentials', 'settings', 'sessions']) })
/** Nodes may bring types of their own, as the template node does. */
const LibraryParams = z.extend(InstanceParams, { type: z.string().check(z.regex(/^[\w-]{1,64}$/)) })
const big = limits.flowsBytes

/** Settings of the nodes for messages between instances and devices. */
export const ProjectLink = z.object({
  team: z.string(),
  broker: z.object({ url: z.string(), username: z.string(), password: z.string() }),
  /** The processes of the instance share its messages, so that each is handled once. */
  shared: z.optional(z.boolean()),
})
export type ProjectLink = z.infer<typeof ProjectLink>

/** The platform's settings that a starting instance reads (docs/specification/protocol-instances.md). */
export const RuntimeSettings = z.looseObject({
  projectID: z.string(),
  /** Where a launcher of the installed base puts the files of the instance, and the port it serves. */
  rootDir: z.string(),
  userDir: z.string(),
  port: z.number(),
  env: z.record(z.string(), z.string()),
  baseURL: z.string(),
  forgeURL: z.string(),
  fileStore: z.nullable(anyObject),
  teamID: z.string(),
  storageURL: z.string(),
  auditURL: z.string(),
  state: z.string(),
  stack: anyObject,
  settings: anyObject,
  /** Limit of the persistent context of the instance, in MB. */
  contextMb: z.optional(z.number()),
  /** Present where the instance has several processes. */
  ha: z.optional(z.object({ replicas: z.number() })),
  /** Given by the agent of a device, which alone opens the editor. */
  device: z.optional(z.literal(true)),
  /** The one sign-in of the editor on the device itself; `hash` by bcrypt. */
  editorUser: z.optional(z.object({ user: z.string(), hash: z.string() })),
  features: z.record(z.string(), z.boolean()),
  /** Present where messages between instances and devices are switched on. */
  projectLink: z.optional(ProjectLink),
})
export type RuntimeSettings = z.infer<typeof RuntimeSettings>

/** The environment of an instance; `label` is the name of its stage, unless the environment was set. */
export const Environment = z.object({
  kind: EnvironmentKind,
  label: z.string(),
})
export type Environment = z.infer<typeof Environment>

/** The details of its instance that the editor shows. */
export const EditorInstance = z.object({
  application: z.string(),
  team: z.string(),
  /** Null outside pipelines, unless it was set. */
  environment: z.nullable(Environment),
})
export type EditorInstance = z.infer<typeof EditorInstance>

/** Flows to be stored. A revision is the SHA-256 of flows as JSON text, in hex. */
export const Deploy = z.object({
  /** Revision of the flows that these began from. */
  basis: z.string().check(z.regex(/^[0-9a-f]{64}$/, 'Not a revision')),
  flows: z.array(anyObject),
  /** As Node-RED encrypted them. */
  credentials: z.optional(anyObject),
  /** Id of the person who deploys. */
  user: z.optional(z.string().check(z.maxLength(64))),
  /** The token that the editor was given for this person: without, who deploys is recorded as a claim. */
  editorToken: z.optional(z.string().check(z.maxLength(100))),
  /** Node-RED has refused them already, because of another deploy in between: they are kept and not stored. */
  refused: z.optional(z.literal(true)),
})
export type Deploy = z.infer<typeof Deploy>

/** Calls of a running instance, also made by launchers of the installed base. */
export const runtimeRoutes = {
  'runtime.settings': route({
    method: 'GET',
    path: '/api/v1/projects/:instanceId/settings',
    summary: 'Settings that an instance needs to start',
    access: ownInstance,
    params: InstanceParams,
    reply: RuntimeSettings,
    errors: ['project_suspended'],
  }),
  'runtime.updateState': route({
    method: 'POST',
    path: '/api/v1/projects/:instanceId/update-state',
    summary: 'State reported by newer launchers. Accepted and not stored: the platform observes the state itself',
    access: ownInstance,
    params: InstanceParams,
    body: z.object({ state: z.string().check(z.minLength(1), z.maxLength(40)) }),
    reply: anyObject,
    errors: ['too_many_requests'],
  }),
  'runtime.editor': route({
    method: 'GET',
    path: '/api/v1/projects/:instanceId/editor',
    summary: 'Names and environment that the editor shows',
    access: ownInstance,
    params: InstanceParams,
    reply: EditorInstance,
    errors: [],
  }),
  'runtime.editors': route({
    method: 'POST',
    path: '/api/v1/projects/:instanceId/editors',
    summary: 'Report who has the editor open',
    access: ownInstance,
    params: InstanceParams,
    body: z.object({
      /** When the process started Node-RED, in milliseconds: the report counts as long as that process runs. */
      startedAt: z.int().check(z.minimum(0)),
      users: z.array(z.string().check(z.maxLength(64))).check(z.maxLength(100)),
    }),
    errors: ['too_many_requests'],
  }),
  'runtime.audit': route({
    method: 'POST',
    path: '/logging/:instanceId/audit',
    summary: 'Record an event of Node-RED in the audit log',
    access: ownInstance,
    params: InstanceParams,
    body: EventReport,
    errors: ['too_many_requests'],
  }),
  'runtime.checkToken': route({
    method: 'GET',
    path: '/account/check/:ownerType/:ownerId',
    summary:
      'Check that the bearer token belongs to this owner: 200 or 401. For services that store files of instances',
    access: anyone,
    params: z.object({ ownerType: z.string().check(z.maxLength(32)), ownerId: z.string().check(z.maxLength(64)) }),
    errors: ['unauthorized'],
  }),
  'runtime.flows': route({
    method: 'GET',
    path: '/storage/:instanceId/flows',
    summary: 'Stored flows; [] without any',
    access: ownInstance,
    params: InstanceParams,
    reply: z.array(anyObject),
    errors: [],
  }),
  'runtime.saveFlows': route({
    method: 'POST',
    path: '/storage/:instanceId/flows',
    summary: 'Save the flows and return them',
    access: ownInstance,
    params: InstanceParams,
    body: z.array(anyObject),
    reply: z.array(anyObject),
    errors: ['too_large', 'too_many_requests'],
    bodyLimit: big,
  }),
  'runtime.deploy': route({
    method: 'POST',
    path: '/storage/:instanceId/deploy',
    summary: 'Save flows and changed credentials, unless the stored flows were replaced since the editor loaded them',
    access: ownInstance,
    params: InstanceParams,
    body: Deploy,
    reply: z.object({ revision: z.string() }),
    errors: ['flows_replaced', 'too_large', 'too_many_requests'],
    bodyLimit: big,
  }),
  'runtime.load': route({
    method: 'GET',
    path: '/storage/:instanceId/:kind',
    summary: 'Stored credentials, runtime settings or sessions; {} without any',
    access: ownInstance,
    params: StorageParams,
    reply: anyObject,
    errors: [],
  }),
  'runtime.save': route({
    method: 'POST',
    path: '/storage/:instanceId/:kind',
    summary: 'Save credentials, runtime settings or sessions and return them',
    access: ownInstance,
    params: StorageParams,
    body: anyObject,
    reply: anyObject,
    errors: ['too_large', 'too_many_requests'],
    bodyLimit: big,
  }),
  'instanceLibrary.get': route({
    method: 'GET',
    path: '/storage/:instanceId/library/:type',
    summary: "One entry of the instance's library, or the entries of a folder; [] if there is none",
    access: ownInstance,
    params: LibraryParams,
    query: z.object({ name: z.optional(z.string().check(z.maxLength(1024))) }),
    reply: LibraryAnswer,
    errors: [],
  }),
  'instanceLibrary.save': route({
    method: 'POST',
    path: '/storage/:instanceId/library/:type',
    summary: 'Save an entry to the library of the instance',
    access: ownInstance,
    params: LibraryParams,
    body: z.object({
      name: z.string().check(z.maxLength(1024)),
      meta: z.optional(z.record(z.string(), z.unknown())),
      body: z.unknown(),
    }),
    errors: ['invalid_name', 'too_large', 'too_many_requests'],
    bodyLimit: big,
  }),
}
