import * as z from 'zod/mini'
import { limits, seenBars, statusBars } from './constants.ts'
import { AllowStopped, Foreseen } from './foreseen.ts'
import { InstanceSummary } from './instances.ts'
import { Id, InstanceParams, Links, Ok, page, PageQuery, TeamParams, Time } from './primitives.ts'
import { may, route, withinReach } from './route.ts'
import { behind } from './switches.ts'
import { AgentUpdate, AgentUpdater } from './device-agent.ts'
import { DeviceAttempt } from './device-deployment.ts'
import { DeviceMemoryLimit, DeviceNodeRed, DeviceNodeRedPatch } from './device-nodered.ts'
import { DeviceTag, DeviceTags } from './device-tags.ts'
import { DeviceTrouble } from './device-trouble.ts'
import { EnvEntry } from './settings.ts'
import { Variables } from './settings-input.ts'
import { TakeoverPlan, TakeoverSetting } from './takeover.ts'
import { TeamSummary } from './teams.ts'

const Named = z.object({ id: Id, name: z.string() })
const SnapshotSummary = z.extend(Named, { description: z.string() })

export const ModeOfDevice = z.enum(['autonomous', 'developer'])

/** A computer outside this server that runs the target snapshot of an instance, by an agent that calls the platform. */
export const Device = z.extend(Named, {
  type: z.string(),
  /** In the order of the alphabet. */
  tags: z.array(z.string()),
  createdAt: Time,
  updatedAt: Time,
  /** Null until its agent has called. */
  lastSeenAt: z.nullable(Time),
  lastSeenMs: z.nullable(z.number()),
  lastSeenSince: z.nullable(z.string()),
  /** The status its agent reported last, unchanged; offline before the first report and after 90 s of silence. */
  status: z.string(),
  /** The status its agent reported last, however long ago. Null until it has called. */
  lastStatus: z.nullable(z.string()),
  /** In developer mode it keeps its flows, which people change on it, whatever its target is. */
  mode: ModeOfDevice,
  /** Whether editor access is on, whether its tunnel is open, and where the editor then is. */
  editor: z.object({ enabled: z.boolean(), connected: z.boolean(), url: z.optional(z.string()) }),
  /** Whether its agent has developer mode: from release 0.8.0 on. False before it has called. */
  hasDeveloperMode: z.boolean(),
  agentVersion: z.nullable(z.string()),
  /** Null where its agent does not say. */
  nodejsVersion: z.nullable(z.string()),
  nodeRedVersion: z.nullable(z.string()),
  /** Why its agent did not take the target, or the one before; null where it did or does not say. */
  refused: z.nullable(
    z.object({ snapshot: z.nullable(z.string()), code: z.string(), message: z.string(), final: z.boolean() }),
  ),
  /** Takeover setting for new targets; for agents of this platform, since others stop the old flows first. */
  takeover: TakeoverSetting,
  /** Two agents called with the credentials of this device in the last ten minutes. */
  sharedIdentity: z.boolean(),
  links: Links,
  team: TeamSummary,
  /** All three absent while it is assigned to none. */
  instance: z.optional(InstanceSummary),
  project: z.optional(InstanceSummary),
  application: z.optional(z.extend(Named, { links: Links })),
  /** The snapshot it runs, as reported by its agent, and the one it should run. */
  activeSnapshot: z.nullable(SnapshotSummary),
  targetSnapshot: z.nullable(SnapshotSummary),
})
export type Device = z.infer<typeof Device>

/** A device with what lists leave out. */
export const DeviceDetails = z.extend(Device, {
  /** Why its flows do not run, and after a crash when they start again; null: they run, or its agent does not say. */
  trouble: z.nullable(DeviceTrouble),
  /**
   * The last attempt at a target, which agents of this platform report; null before the first. `reportedAt`: when the
   * platform heard of it, since the clock of a device may be wrong.
   */
  lastDeployment: z.nullable(z.extend(DeviceAttempt, { reportedAt: Time })),
  agentUpdate: z.object({
    /** Update method of its agent. Null before it has called, and where its agent is of another platform. */
    updater: z.nullable(AgentUpdater),
    /** The version that this platform serves, where it is newer. */
    available: z.nullable(z.string()),
    /** The order that its agent has not answered yet. */
    ordered: z.nullable(z.object({ version: z.string(), orderedAt: Time })),
    /** Result of the last order. */
    last: z.nullable(z.extend(AgentUpdate, { reportedAt: Time })),
  }),
  /** Settings of its Node-RED. Null: its agent has called, and does not know them. */
  nodeRed: z.nullable(
    z.extend(DeviceNodeRed, {
      /** As its agent reported it last; null before the first report. */
      memoryLimit: z.nullable(DeviceMemoryLimit),
      /** Why the Node.js of the device does not run the version, in a sentence. */
      warning: z.nullable(z.string()),
    }),
  ),
})
export type DeviceDetails = z.infer<typeof DeviceDetails>

/** Shown once. The secret encrypts the credentials of the flows on the device. */
export const DeviceCredentials = z.object({
  token: z.string(),
  credentialSecret: z.string(),
  /** Shown to people only: an agent gives it once, within a day, and gets new credentials. */
  otc: z.optional(z.string()),
  /** Absent without a broker: the agent then calls over HTTP. */
  broker: z.optional(z.object({ url: z.string(), username: z.string(), password: z.string() })),
})
export type DeviceCredentials = z.infer<typeof DeviceCredentials>

/** Names are judged by the handlers, since an empty one has a code of its own (400 invalid_name). */
const Name = z.string().check(z.trim(), z.maxLength(limits.nameMax, `At most ${limits.nameMax} characters`))
const Type = z.string().check(
  z.trim(),
  z.maxLength(limits.nameMax, `At most ${limits.nameMax} characters`),
  z.refine((value) => !value.includes('\0'), 'Must not contain NUL characters'),
)

/** Longer than people may choose: agents name their host and their token, and cannot choose. */
const ofAgent = z.string().check(z.trim(), z.maxLength(400))

/** `setup`: the call of an agent with a one-time code, which names nothing else. */
const NewDevice = z
  .object({
    name: z.prefault(ofAgent, ''),
    type: z.prefault(ofAgent, ''),
    team: z.optional(Id),
    setup: z.optional(z.literal(true)),
    agentHost: z.optional(ofAgent),
  })
  .check(z.refine(({ team, setup }) => setup || team !== undefined, { path: ['team'], error: 'Name the team' }))
export type NewDevice = z.infer<typeof NewDevice>

/**
 * `instance` and `project` are the same; null removes it. Beside one of them the rest is left alone (DEV-57), apart from
 * `allowStopped`: with `nodes` a device that runs flows may come to an instance whose target runs none.
 */
export const DevicePatch = z.partial(
  z.object({
    name: Name,
    type: Type,
    takeover: TakeoverSetting,
    nodeRed: DeviceNodeRedPatch,
    /** In the place of those it has. */
    tags: DeviceTags,
    instance: z.nullable(Id),
    project: z.nullable(Id),
    allowStopped: AllowStopped,
  }),
)
export type DevicePatch = z.infer<typeof DevicePatch>

/** Consoles of the installed base ask for all devices at once, to count them (SNAP-15). */
const DeviceQuery = z.extend(PageQuery, {
  /** Bars of the charts: only the devices that they count. */
  seen: z.optional(z.enum(seenBars)),
  status: z.optional(z.enum(statusBars)),
  /** Only the devices that registered with this provisioning token. */
  registeredBy: z.optional(Id),
  /** Only the devices that have this tag. */
  tag: z.optional(DeviceTag),
  limit: z.optional(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(10_000_000))),
})
export type DeviceQuery = z.infer<typeof DeviceQuery>

/** Devices of the team, each once. */
export const Chosen = z
  .array(Id)
  .check(z.minLength(1, 'Choose devices'), z.maxLength(limits.bulkDevices, `At most ${limits.bulkDevices} devices`))

/** The devices the action was done with, and those it was refused for, with the reason. */
export const Bulk = z.object({
  done: z.array(Id),
  /** `name`: of a device of the team. */
  refused: z.array(z.object({ id: Id, name: z.optional(z.string()), code: z.string(), error: z.string() })),
})
export type BulkResult = z.infer<typeof Bulk>

const devices = page('devices', Device)
const DeviceParams = z.object({ deviceId: Id })
const path = '/api/v1/devices/:deviceId'
const ofInstance = '/api/v1/projects/:instanceId/devices'

export const deviceRoutes = behind('devices', {
  'device.list': route({
    method: 'GET',
    path: '/api/v1/devices',
    summary: 'Devices of all teams, oldest first',
    access: may('device:list', 'platform'),
    query: DeviceQuery,
    reply: devices,
    errors: [],
  }),
  'device.listOfTeam': route({
    method: 'GET',
    path: '/api/v1/teams/:teamId/devices',
    summary: 'Devices of a team, oldest first',
    access: withinReach(may('team:device:list', 'team')),
    params: TeamParams,
    query: DeviceQuery,
    reply: devices,
    errors: [],
  }),
  'device.listOfInstance': route({
    method: 'GET',
    path: ofInstance,
    summary: 'Devices assigned to an instance, oldest first',
    access: may('project:read', 'instance'),
    params: InstanceParams,
    query: DeviceQuery,
    reply: devices,
    errors: [],
  }),
  'device.create': route({
    method: 'POST',
    path: '/api/v1/devices',
    summary:
      'Add a device to `team`. Its credentials are shown once. Agents call it with a provisioning token to register themselves, or with a one-time code and `setup` to get new credentials of an existing device',
    access: may('device:create', 'team'),
    body: NewDevice,
    reply: z.extend(Device, { credentials: DeviceCredentials }),
    errors: ['invalid_name', 'invalid_instance', 'device_limit_reached', 'devices_unavailable', 'billing_required'],
    audit: 'team.device.created',
    example: { body: { name: 'Oven 3', type: 'Raspberry Pi 4', team: '01hz' } },
  }),
  'device.assignMany': route({
    method: 'PUT',
    path: '/api/v1/teams/:teamId/devices/bulk',
    summary: 'Assign devices to an instance of the team, or to none. Each device succeeds or fails on its own',
    access: may('device:edit', 'team'),
    params: TeamParams,
    /** `allowStopped` as for one device. */
    body: z.object({ devices: Chosen, instance: z.nullable(Id), allowStopped: AllowStopped }),
    reply: Bulk,
    errors: ['invalid_instance', 'flows_not_started'],
    audit: 'team.device.assigned',
    example: { body: { devices: ['01hz'], instance: '0192f0c1-0000-7000-8000-000000000000' } },
  }),
  'device.deleteMany': route({
    method: 'DELETE',
    path: '/api/v1/teams/:teamId/devices/bulk',
    summary: 'Delete devices. Each device succeeds or fails on its own',
    access: may('device:delete', 'team'),
    params: TeamParams,
    body: z.object({ devices: Chosen }),
    reply: Bulk,
    errors: [],
    audit: 'team.device.deleted',
    example: { body: { devices: ['01hz'] } },
  }),
  'device.get': route({
    method: 'GET',
    path,
    summary: 'One device',
    access: may('device:read', 'device'),
    params: DeviceParams,
    reply: DeviceDetails,
    errors: [],
  }),
  'device.update': route({
    method: 'PUT',
    path,
    summary:
      'Update the name, type, tags, takeover setting or Node-RED settings of a device, or assign it to an instance of its team. null removes the assignment',
    access: may('device:edit', 'device'),
    params: DeviceParams,
    body: DevicePatch,
    reply: DeviceDetails,
    errors: ['invalid_name', 'invalid_instance', 'flows_not_started', 'agent_outdated'],
    audit: 'team.device.updated',
    example: { body: { instance: '0192f0c1-0000-7000-8000-000000000000' } },
  }),
  'device.delete': route({
    method: 'DELETE',
    path,
    summary: 'Delete a device. Its agent stops the flows at its next check-in',
    access: may('device:delete', 'device'),
    params: DeviceParams,
    reply: Ok,
    errors: [],
    audit: 'team.device.deleted',
  }),
  'device.generateCredentials': route({
    method: 'POST',
    path: `${path}/generate_credentials`,
    summary: 'Create new credentials, shown once. The previous ones stop working at once',
    access: may('device:edit', 'device'),
    params: DeviceParams,
    reply: DeviceCredentials,
    errors: [],
    audit: 'team.device.credentials-generated',
  }),
  'device.settings': route({
    method: 'GET',
    path: `${path}/settings`,
    summary: "Variables of a device: the platform's first, then its own. Secrets have no value",
    access: may('device:read', 'device'),
    params: DeviceParams,
    reply: z.object({ env: z.array(EnvEntry) }),
    errors: [],
  }),
  'device.saveSettings': route({
    method: 'PUT',
    path: `${path}/settings`,
    summary: 'Replace the variables of a device. A secret sent without a value keeps its current one',
    access: may('device:edit-env', 'device'),
    params: DeviceParams,
    body: z.object({ env: Variables }),
    reply: Ok,
    errors: [],
    audit: 'team.device.updated',
    bodyLimit: 1024 * 1024,
    example: { body: { env: [{ name: 'SITE', value: 'bakery' }] } },
  }),
  'device.target': route({
    method: 'GET',
    path: `${ofInstance}/settings`,
    summary: 'The target snapshot of the devices of an instance',
    access: may('project:read', 'instance'),
    params: InstanceParams,
    reply: z.object({ targetSnapshot: z.nullable(Id) }),
    errors: [],
  }),
  'device.previewTarget': route({
    method: 'GET',
    path: `${ofInstance}/preview`,
    summary: 'Preview what running a snapshot would do on the devices of an instance. Changes nothing',
    access: may('project:snapshot:set-target', 'instance'),
    params: InstanceParams,
    query: z.object({ snapshot: Id }),
    reply: z.object({
      /** Numbers of devices assigned to the instance, and of those among them that run the snapshot already. */
      devices: z.number(),
      running: z.number(),
      foreseen: z.array(Foreseen),
      /** Plans of its takeover from what runs, by the devices to which they apply; the most devices first. */
      takeovers: z.array(z.extend(TakeoverPlan, { devices: z.number(), names: z.array(z.string()) })),
    }),
    errors: ['invalid_snapshot'],
  }),
  'device.setTarget': route({
    method: 'POST',
    path: `${ofInstance}/settings`,
    summary: 'Set the target snapshot of the devices of an instance, or null for none',
    access: may('project:snapshot:set-target', 'instance'),
    params: InstanceParams,
    /** `allowStopped` with `nodes`: have nothing run in the place of flows that do. */
    body: z.object({ targetSnapshot: z.nullable(Id), allowStopped: AllowStopped }),
    reply: Ok,
    errors: ['invalid_snapshot', 'flows_not_started'],
    audit: 'project.snapshot.device-target-set',
    example: { body: { targetSnapshot: '01hz' } },
  }),
})
