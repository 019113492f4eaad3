import * as z from 'zod/mini'
import { AgentOrder, AgentUpdate } from './device-agent.ts'
import { DeviceAttempt, DeviceTerms } from './device-deployment.ts'
import { DeviceMemoryLimit, DeviceNodeRed, HashedNodeRed } from './device-nodered.ts'
import { ReportedTrouble } from './device-trouble.ts'
import { ModeOfDevice } from './devices.ts'
import { FlowsOpens } from './instance-link.ts'
import { Id } from './primitives.ts'
import { EventReport } from './reported-events.ts'
import { ownDevice, route } from './route.ts'
import { behind } from './switches.ts'

const anyObject = z.looseObject({})
const DeviceParams = z.object({ deviceId: Id })
const path = '/api/v1/devices/:deviceId/live'
const short = z.string().check(z.maxLength(200))

/** A target that an agent did not take: what it ran before goes on. `final`: it does not try again by itself. */
export const RefusedTarget = z.object({
  snapshot: z.nullable(short),
  code: short,
  message: z.string().check(z.maxLength(1_000)),
  final: z.boolean(),
})
export type RefusedTarget = z.infer<typeof RefusedTarget>

/** Whether people let the flows of a device run. */
export const TargetState = z.enum(['running', 'suspended'])
export type TargetState = z.infer<typeof TargetState>

const figure = z.optional(z.number().check(z.minimum(0), z.maximum(1e9)))

/** The load of Node-RED on a device since the report before. */
export const DeviceLoad = z.object({
  /** Share of one core, 1 being all of it. */
  cpu: figure,
  /** Resident memory in MiB. */
  memoryMb: figure,
  /** The longest that the event loop let something wait. */
  eventLoopDelayMs: figure,
})
export type DeviceLoad = z.infer<typeof DeviceLoad>

/** The report of an agent about its device. Later agents report more, which is ignored. */
export const DeviceReport = z.looseObject({
  project: z.optional(z.nullable(short)),
  snapshot: z.optional(z.nullable(short)),
  /** The hash of the settings it has. */
  settings: z.optional(z.nullable(short)),
  state: z.optional(short),
  /** Only agents of this platform say it; null: the flows run. */
  trouble: z.optional(z.nullable(ReportedTrouble)),
  /** Developer mode, or none. */
  mode: z.optional(z.nullable(short)),
  /** Whether people suspended its flows, as far as its agent knows of that. */
  targetState: z.optional(z.nullable(short)),
  agentVersion: z.optional(z.nullable(short)),
  /** Agents of later releases say on what they run, and what they run. */
  nodejsVersion: z.optional(z.nullable(short)),
  nodeRedVersion: z.optional(z.nullable(short)),
  /** Agents of this platform say why the target does not run; null: it does, or is on its way. */
  refused: z.optional(z.nullable(RefusedTarget)),
  /** Result of their last attempt at a target. They report it until it was answered once. */
  lastDeployment: z.optional(DeviceAttempt),
  /** The open resources of their Node-RED. */
  opens: z.optional(FlowsOpens),
  /** The memory limit of their Node-RED. Agents that do not say it do not know the settings of Node-RED. */
  memoryLimit: z.optional(DeviceMemoryLimit),
  /** A DeviceLoad of agents of this platform. Others may mean something else by it. */
  load: z.optional(z.unknown()),
  /** Tells the installation of an agent from another with the same credentials. */
  agent: z.optional(short),
  /** The AgentUpdater of agents of this platform. */
  updater: z.optional(z.nullable(short)),
  /** Result of their last update. They report it until they get another order. */
  agentUpdate: z.optional(AgentUpdate),
  /** Over the broker: answer also when the device is as it shall be, so that its agent knows it was heard. */
  asks: z.optional(z.boolean()),
})
export type DeviceReport = z.infer<typeof DeviceReport>

/** The desired state of a device; `settings` is a hash that changes with its name, type, variables and settings of Node-RED. */
const Wanted = z.object({
  project: z.nullable(z.string()),
  snapshot: z.nullable(z.string()),
  settings: z.string(),
})

/** The first mismatch between the agent's report and the desired state, checked in this order. */
export const DeviceMismatch = z.enum([
  'incorrect-project',
  'incorrect-snapshot',
  'incorrect-settings',
  'incorrect-mode',
  'incorrect-agent',
  'incorrect-memory',
])
export type DeviceMismatch = z.infer<typeof DeviceMismatch>

/** The snapshot a device runs. */
export const DeviceSnapshot = z.object({
  id: Id,
  name: z.string(),
  description: z.string(),
  flows: z.array(anyObject),
  /** As Node-RED encrypts them, under the secret of the device. */
  credentials: z.optional(anyObject),
  settings: anyObject,
  env: z.record(z.string(), z.string()),
  modules: z.record(z.string(), z.string()),
})
export type DeviceSnapshot = z.infer<typeof DeviceSnapshot>

/** An event of Node-RED on a device. */
export const DeviceEventReport = z.extend(EventReport, {
  /** By which agents of this platform name a report, which they may send again when they hear no answer. */
  reportId: z.optional(z.string().check(z.maxLength(64))),
})
export type DeviceEventReport = z.infer<typeof DeviceEventReport>

/** Calls of the agent on a device, as the agents of the installed base make them (docs/specification/protocol-devices.md). */
export const deviceLinkRoutes = behind(
  'devices',
  {
    'deviceLink.report': route({
      method: 'POST',
      path: `${path}/state`,
      summary:
        'Report the state of a device: {} when it matches the desired state, else 409 with the desired state and the mismatch in `error`',
      access: ownDevice,
      params: DeviceParams,
      body: DeviceReport,
      reply: z.union([
        z.extend(Wanted, {
          error: DeviceMismatch,
          application: z.null(),
          mode: z.optional(ModeOfDevice),
          /** Only for agents of this platform, until they say how it ended. */
          agentOrder: z.optional(AgentOrder),
          /** The memory limit of Node-RED, for agents that know it. It is in no hash, since it waits for a restart. */
          memory: z.optional(DeviceNodeRed.shape.memory),
        }),
        z.strictObject({}),
      ]),
      errors: ['device_unknown', 'devices_unavailable'],
    }),
    'deviceLink.state': route({
      method: 'GET',
      path: `${path}/state`,
      summary: 'Desired state of a device',
      access: ownDevice,
      params: DeviceParams,
      reply: z.extend(Wanted, {
        mode: ModeOfDevice,
        ownerType: z.nullable(z.literal('project')),
        licensed: z.boolean(),
        targetState: TargetState,
      }),
      errors: ['device_unknown', 'devices_unavailable'],
    }),
    'deviceLink.snapshot': route({
      method: 'GET',
      path: `${path}/snapshot`,
      summary:
        'The target snapshot of a device, with the credentials of its flows under its own secret; {} without one',
      access: ownDevice,
      params: DeviceParams,
      reply: z.union([DeviceSnapshot, z.strictObject({})]),
      errors: ['device_unknown', 'devices_unavailable'],
    }),
    'deviceLink.settings': route({
      method: 'GET',
      path: `${path}/settings`,
      summary: 'Variables of a device, and the platform features it may use',
      access: ownDevice,
      params: DeviceParams,
      reply: z.object({
        hash: z.string(),
        env: z.record(z.string(), z.string()),
        features: z.record(z.string(), z.boolean()),
        assistant: z.object({ enabled: z.boolean() }),
        /** For agents of this platform; others ignore it. A change of it alone leaves the hash as it is. */
        deployment: DeviceTerms,
        /** For agents of this platform. */
        nodeRed: HashedNodeRed,
        /** The same protection of flows for agents of version 4. */
        security: z.optional(
          z.object({ httpNodeAuth: z.object({ type: z.enum(['none', 'basic']), user: z.string(), pass: z.string() }) }),
        ),
      }),
      errors: ['device_unknown', 'devices_unavailable'],
    }),
    'deviceLink.audit': route({
      method: 'POST',
      path: '/logging/device/:deviceId/audit',
      summary: 'Record an event of Node-RED on a device in the audit log of its instance. Dropped without an instance',
      access: ownDevice,
      params: DeviceParams,
      body: DeviceEventReport,
      errors: ['device_unknown', 'devices_unavailable', 'too_many_requests'],
    }),
  },
  'devices_unavailable',
)
