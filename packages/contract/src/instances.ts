import * as z from 'zod/mini'
import { AuditPage, AuditQuery } from './audit.ts'
import { limits, patterns, reservedInstanceNames } from './constants.ts'
import { Extras } from './foreseen.ts'
import { Versions } from './instance-link.ts'
import { Job } from './jobs.ts'
import { Id, InstanceParams, Links, Ok, page, PageMeta, PageQuery, TeamParams, Time } from './primitives.ts'
import { capital, may, orWider, route, withinReach } from './route.ts'
import { InstanceSettings } from './settings.ts'
import { EnvOnly, SettingsInput } from './settings-input.ts'
import { StackProperties } from './stack-properties.ts'
import { TakeoverSetting } from './takeover.ts'
import { TeamSummary } from './teams.ts'

/** Name of an instance [INST-37]; reserved words as in docs/specification/calls.md. */
export const InstanceName = z.string().check(
  z.regex(patterns.instanceName, 'Names must only include a→z, A→Z, -, 0→9 and can not start with 0→9'),
  z.maxLength(limits.instanceNameMax, `At most ${limits.instanceNameMax} characters`),
  z.refine((name) => !reservedInstanceNames.includes(name.toLowerCase()), 'This name is reserved'),
  z.refine((name) => !name.endsWith('-'), 'Names can not end with -'),
)

/** One of the processes of an instance. `id` stands as `src` in the lines of the log that it writes. */
export const Replica = z.object({
  id: z.string(),
  state: z.string(),
  reason: z.optional(z.string()),
  /** After a crash: when it is started again. */
  restartAt: z.optional(Time),
})
export type Replica = z.infer<typeof Replica>

/** A person who has the editor open. */
export const OpenEditor = z.object({ id: Id, username: z.string(), name: z.string() })
export type OpenEditor = z.infer<typeof OpenEditor>

/** Present where an instance has several processes. */
export const Ha = z.object({ replicas: z.number() })

export const Meta = z.object({
  /** With several processes, `running` only while all run; otherwise the state of the one that does not. */
  state: z.string(),
  isDeploying: z.boolean(),
  id: z.optional(Id),
  lastStartTime: z.optional(Time),
  versions: z.optional(Versions),
  reason: z.optional(z.string()),
  /** Node-RED runs, and its flows do not: why, in a sentence. */
  flowsStopped: z.optional(
    z.object({ reason: z.string(), missingTypes: z.array(z.string()), missingModules: z.array(z.string()) }),
  ),
  /** After a crash: how many there were in a row, when it is started again, and whether that is without its flows. */
  restart: z.optional(z.object({ crashes: z.number(), at: Time, safe: z.boolean() })),
  /** Suspended only until somebody asks it something. */
  sleeping: z.optional(z.literal(true)),
  /** With several processes: each of them, known in the log by its id. */
  replicas: z.optional(z.array(Replica)),
  /** Settings that are saved and not in force while the instance runs; absent when everything is in force. */
  notInForce: z.optional(
    z.object({
      /** Settings were changed since it was started. */
      settings: z.optional(z.literal(true)),
      /** Its processes do not enforce the protection of its addresses yet, so nobody reaches it. */
      access: z.optional(z.literal(true)),
      /** Why it runs with the modules that it had instead of those of its list. */
      modules: z.optional(z.string()),
    }),
  ),
  /** Absent when nobody has the editor open. */
  editors: z.optional(z.array(OpenEditor)),
})
export const InstanceState = z.object({
  flowLastUpdatedAt: z.optional(Time),
  /** The same as people say it when they are answered. */
  flowLastUpdatedSince: z.optional(z.string()),
  /** Why its flows must not fall asleep; null when nothing is against it. Told where it may have changed. */
  sleepObstacle: z.optional(z.nullable(z.string())),
  meta: Meta,
})
export type InstanceState = z.infer<typeof InstanceState>

/** States in which a client goes on asking (docs/specification/states.md). */
export const transitionalStates: readonly string[] = [
  'loading',
  'installing',
  'starting',
  'stopping',
  'restarting',
  'suspending',
  'importing',
]

export const InstanceSummary = z.object({
  id: Id,
  name: z.string(),
  url: z.optional(z.string()),
  createdAt: Time,
  updatedAt: Time,
  links: Links,
  settings: z.optional(z.object({ disableEditor: z.boolean() })),
  ha: z.optional(Ha),
})
export type InstanceSummary = z.infer<typeof InstanceSummary>

const Named = z.object({ id: Id, name: z.string() })

/** Tells a production instance from one to try things in. */
export const EnvironmentKind = z.enum(['development', 'staging', 'production'])
export type EnvironmentKind = z.infer<typeof EnvironmentKind>

/** Health check of an instance: a path of its own, never another host. */
export const InstanceCheck = z.object({
  path: z
    .string()
    .check(z.maxLength(500), z.regex(/^\/(?![/\\])[!-"$-[\]-~]*$/, 'Enter a path that begins with one slash')),
  /** The status it has to answer with. */
  status: z.prefault(z.number().check(z.int(), z.minimum(100), z.maximum(599)), 200),
  /** Maximum time until it answers so, in seconds. */
  seconds: z.prefault(z.number().check(z.int(), z.minimum(1), z.maximum(300)), 30),
})
export type InstanceCheck = z.infer<typeof InstanceCheck>

/** Do new contents pass whose flows run with errors that those before did not have? */
export const OnErrors = z.enum(['pass', 'refuse'])
export type OnErrors = z.infer<typeof OnErrors>

export const Instance = z.extend(InstanceSummary, {
  safeName: z.string(),
  url: z.string(),
  hostname: z.string(),
  flowLastUpdatedAt: z.optional(Time),
  flowLastUpdatedSince: z.optional(z.string()),
  /** The snapshot its devices should run. */
  targetSnapshot: z.nullable(z.object({ id: Id, name: z.string(), description: z.string() })),
  deviceSettings: z.object({ targetSnapshot: z.nullable(Id) }),
  sleepObstacle: z.nullable(z.string()),
  meta: Meta,
  application: z.extend(Named, { links: Links }),
  team: TeamSummary,
  projectType: Named,
  stack: z.extend(Named, { label: z.string(), properties: StackProperties, replacedBy: z.optional(Id), links: Links }),
  template: z.extend(Named, {
    description: z.string(),
    settings: InstanceSettings,
    policy: z.looseObject({}),
    links: Links,
  }),
  settings: InstanceSettings,
  healthCheck: z.nullable(InstanceCheck),
  /** Null: as the stages of pipelines say. */
  environment: z.nullable(EnvironmentKind),
  onErrors: OnErrors,
  takeover: TakeoverSetting,
})
export type Instance = z.infer<typeof Instance>

/** The answer to a change: whole, or what members may see of it. */
export const InstanceChanged = z.extend(z.partial(Instance), {
  settings: z.optional(InstanceSettings),
})
export type InstanceChanged = z.infer<typeof InstanceChanged>

/** A list entry: whole for people, id and name only for the token of an instance or a device. */
export const InstanceListed = z.extend(z.partial(Instance), { id: Id, name: z.string() })
export type InstanceListed = z.infer<typeof InstanceListed>

/** `brief`: no settings, type, stack and template, which are nearly all that a whole one weighs. */
export const InstanceListQuery = z.extend(PageQuery, { brief: z.optional(z.literal('true')) })
export type InstanceListQuery = z.infer<typeof InstanceListQuery>

/** An instance as shown to people who see nothing else of a team: its addresses, without its contents. */
export const OpenInstance = z.object({
  id: Id,
  name: z.string(),
  /** The name of the application it belongs to. */
  application: z.string(),
  url: z.string(),
  state: z.string(),
  sleeping: z.optional(z.literal(true)),
  /** Addresses of its dashboards, as far as the modules tell that it has any. */
  dashboards: z.array(z.string()),
})
export type OpenInstance = z.infer<typeof OpenInstance>

/** The parts copied to a new instance: flows with their credentials, modules, and variables with or without values. */
export const CopyOptions = z.object({
  flows: z.prefault(z.boolean(), true),
  credentials: z.prefault(z.boolean(), true),
  nodes: z.prefault(z.boolean(), true),
  envVars: z.prefault(z.union([z.boolean(), z.literal('keys')]), true),
})
export type CopyOptions = z.infer<typeof CopyOptions>

/** The same for an instance that is there already; its template and its other settings are its own. */
export const PushOptions = z.extend(CopyOptions, {
  template: z.prefault(z.literal(false), false),
  settings: z.prefault(z.literal(false), false),
})
export type PushOptions = z.infer<typeof PushOptions>

/** Files as texts: flows, credentials as Node-RED wrote them, and the secret they were encrypted with. */
export const InstanceImport = z.object({
  flows: z.optional(z.string().check(z.maxLength(limits.flowsBytes))),
  credentials: z.optional(z.string().check(z.maxLength(limits.flowsBytes))),
  credsSecret: z.optional(z.string().check(z.maxLength(1_000))),
})
export type InstanceImport = z.infer<typeof InstanceImport>

export const InstanceCreate = z.object({
  /** Judged as an InstanceName by the handler, since a bad one has a code of its own (409 invalid_project_name). */
  name: z.string().check(z.maxLength(200)),
  applicationId: Id,
  projectType: Id,
  stack: Id,
  template: Id,
  sourceProject: z.optional(z.object({ id: Id, options: z.prefault(CopyOptions, {}) })),
  /** Judged by the handler, since other numbers than 1 and 2 have a code of their own (400 invalid_ha). */
  ha: z.optional(Ha),
})
export type InstanceCreate = z.infer<typeof InstanceCreate>

/**
 * The fields of an instance that can be changed: settings, the stack, or the type together with one of its stacks. A
 * change of stack or type restarts it.
 */
export const InstancePatch = z.partial(
  z.object({
    /** The name is the address, so it stays as it is; sending it again changes nothing. */
    name: z.string().check(z.maxLength(300)),
    /** The same. */
    hostname: z.string().check(z.maxLength(300)),
    settings: SettingsInput,
    stack: Id,
    projectType: Id,
    /** The health check that new contents must pass before they are kept; null: none. */
    healthCheck: z.nullable(InstanceCheck),
    /** Shown in the editor; null: as the stages of pipelines say. */
    environment: z.nullable(EnvironmentKind),
    onErrors: OnErrors,
    /** Takeover setting for new contents. */
    takeover: TakeoverSetting,
    /** Replaces what the instance holds by what another one of its team holds; nothing else may stand beside it. */
    sourceProject: z.object({
      id: Id,
      options: z.prefault(PushOptions, {}),
      seen: z.optional(z.string().check(z.maxLength(100))),
      ...Extras,
    }),
    /** With another stack. */
    ...Extras,
  }),
)
export type InstancePatch = z.infer<typeof InstancePatch>

/** The resources a running instance uses. */
export const Usage = z.object({
  /** Milliseconds since the epoch: when this was so. */
  at: z.number(),
  /** CPU time since its start in milliseconds. */
  cpuMs: z.number(),
  memoryMb: z.number(),
  /** The longest that something had to wait for its turn in the last seconds, in milliseconds. */
  delayMs: z.optional(z.number()),
  /** Since when its flows let nothing else run. */
  hungSince: z.optional(Time),
})
export type Usage = z.infer<typeof Usage>

const action = (
  verb: string,
  audit: 'project.started' | 'project.stopped' | 'project.restarted' | 'project.suspended',
) =>
  route({
    method: 'POST',
    path: `/api/v1/projects/:instanceId/actions/${verb}`,
    summary:
      verb === 'restartStack'
        ? 'Restart an instance with its current settings, as a job. Starts it when it is suspended'
        : `${capital(verb)} an instance, as a job`,
    access: may('project:change-status', 'instance'),
    // An instance that fills the disk can be ended.
    ...(verb === 'stop' || verb === 'suspend' ? { whenDiskIsFull: true as const } : {}),
    params: InstanceParams,
    reply: Ok,
    errors: ['invalid_state', 'project_suspended', 'billing_required'],
    audit,
    example: { reply: { status: 'okay' } },
  })

export const instanceRoutes = {
  'instance.listOfTeam': route({
    method: 'GET',
    path: '/api/v1/teams/:teamId/projects',
    summary: 'Instances of a team; with `brief` only the fields that lists show',
    access: withinReach(may('team:projects:list', 'team')),
    params: TeamParams,
    query: InstanceListQuery,
    reply: z.object({ meta: PageMeta, count: z.number(), projects: z.array(InstanceListed) }),
    errors: [],
  }),
  'instance.openOfTeam': route({
    method: 'GET',
    path: '/api/v1/teams/:teamId/dashboard-instances',
    summary:
      'Addresses of the instances of a team, oldest first, for members who may use their dashboards and endpoints',
    access: may('project:flows:http', 'team'),
    params: TeamParams,
    query: PageQuery,
    reply: page('projects', OpenInstance),
    errors: [],
  }),
  'instance.create': route({
    method: 'POST',
    path: '/api/v1/projects',
    summary: 'Create an instance and start it',
    access: may('project:create', 'application'),
    body: InstanceCreate,
    reply: Instance,
    errors: [
      'billing_required',
      'invalid_project_name',
      'ports_exhausted',
      'invalid_project_type',
      'invalid_stack',
      'invalid_template',
      'invalid_source_project',
      'invalid_ha',
      'instance_limit_reached',
    ],
    audit: 'project.created',
    example: {
      body: { name: 'oven-line-prod', applicationId: '01hz', projectType: 'ty01', stack: 'st01', template: 'te01' },
    },
  }),
  'instance.get': route({
    method: 'GET',
    path: '/api/v1/projects/:instanceId',
    summary: 'One instance',
    access: may('project:read', 'instance'),
    params: InstanceParams,
    reply: Instance,
    errors: [],
  }),
  'instance.update': route({
    method: 'PUT',
    path: '/api/v1/projects/:instanceId',
    summary:
      'Update an instance: settings that its template allows, its stack or type, or the contents of another instance of the team. Members may send only {settings: {env}}',
    access: orWider(may('project:edit-env', 'instance'), 'project:edit', EnvOnly),
    params: InstanceParams,
    body: InstancePatch,
    // Empty after a change of stack or type and for a push, which goes on as a job; less for who may change variables only.
    reply: InstanceChanged,
    errors: [
      'billing_required',
      'invalid_request',
      'invalid_project_name',
      'invalid_hostname',
      'invalid_stack',
      'instance_limit_reached',
      'invalid_project_type',
      'invalid_state',
      'invalid_source_project',
      'outdated',
    ],
    audit: 'project.settings.updated',
    bodyLimit: 1024 * 1024,
    example: { body: { settings: { env: [{ name: 'SITE', value: 'bakery' }] } } },
  }),
  'instance.import': route({
    method: 'POST',
    path: '/api/v1/projects/:instanceId/import',
    summary: 'Replace flows, credentials or both from files. A running instance restarts',
    access: may('project:edit', 'instance'),
    params: InstanceParams,
    body: z.extend(InstanceImport, Extras),
    reply: Ok,
    errors: ['invalid_credentials_secret', 'invalid_state', 'too_large'],
    audit: 'project.flow-imported',
    bodyLimit: limits.flowsBytes,
    example: { body: { flows: '[]' }, reply: { status: 'okay' } },
  }),
  'instance.move': route({
    method: 'PUT',
    path: '/api/v1/projects/:instanceId/application',
    summary: 'Move an instance to another application of its team. It keeps its address and keeps running',
    access: may('project:transfer', 'instance'),
    params: InstanceParams,
    body: z.object({ applicationId: Id }),
    reply: Instance,
    errors: [],
    audit: 'project.moved',
    example: { body: { applicationId: '01hz' } },
  }),
  'instance.delete': route({
    method: 'DELETE',
    path: '/api/v1/projects/:instanceId',
    summary: 'Delete an instance. It can be restored for seven days, then it is removed permanently',
    access: may('project:delete', 'instance'),
    params: InstanceParams,
    reply: Ok,
    errors: ['invalid_state'],
    audit: 'project.deleted',
  }),
  'instance.start': action('start', 'project.started'),
  'instance.stop': action('stop', 'project.stopped'),
  'instance.restart': action('restart', 'project.restarted'),
  'instance.suspend': action('suspend', 'project.suspended'),
  'instance.restartStack': action('restartStack', 'project.restarted'),
  'instance.usage': route({
    method: 'GET',
    path: '/api/v1/projects/:instanceId/usage',
    summary: 'Current resource usage of an instance; null while it is not running',
    access: may('project:read', 'instance'),
    params: InstanceParams,
    reply: z.object({ usage: z.nullable(Usage) }),
    errors: [],
  }),
  'instance.checkPaths': route({
    method: 'GET',
    path: '/api/v1/projects/:instanceId/health-check/paths',
    summary: 'Paths that the flows serve with GET, as candidates for a health check',
    access: may('project:edit', 'instance'),
    params: InstanceParams,
    reply: z.object({ paths: z.array(z.string()) }),
    errors: [],
    example: { reply: { paths: ['/health', '/dashboard'] } },
  }),
  'instance.jobs': route({
    method: 'GET',
    path: '/api/v1/projects/:instanceId/jobs',
    summary: 'Recent operations on an instance with their steps, newest first',
    access: may('project:read', 'instance'),
    params: InstanceParams,
    reply: z.object({ count: z.number(), jobs: z.array(Job) }),
    errors: [],
  }),
  'instance.auditLog': route({
    method: 'GET',
    path: '/api/v1/projects/:instanceId/audit-log',
    summary: "An instance's audit log, newest first",
    access: may('project:audit-log', 'instance'),
    params: InstanceParams,
    query: AuditQuery,
    reply: AuditPage,
    errors: [],
  }),
}
