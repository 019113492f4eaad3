import type { DeviceAttempt } from '@app/contract/device-deployment'
import type { FlowFault } from '@app/contract/flows-report'
import type { Takeover } from '@app/contract/takeover'
import * as z from 'zod/mini'

const anyObject = z.looseObject({})

/** A state that a device shall have or has. `id` names its own folder; a new attempt at the same state has another. */
export const Target = z.object({
  id: z.string().check(z.regex(/^[a-z0-9-]{1,40}$/)),
  project: z.nullable(z.string()),
  /** Null: nothing runs. */
  snapshot: z.nullable(z.string()),
  name: z.string(),
  /** Hash of the settings, as the platform gave it. */
  settings: z.nullable(z.string()),
})
export type Target = z.infer<typeof Target>

/** Everything Node-RED needs for a target, so that a device starts without the platform. */
export const TargetContents = z.object({
  target: Target,
  flows: z.array(anyObject),
  /** As Node-RED encrypts them, under the secret of the device. */
  credentials: anyObject,
  env: z.record(z.string(), z.string()),
  /** Exact version of Node-RED. */
  nodered: z.string(),
  modules: z.record(z.string(), z.string()),
  settings: anyObject,
  /** The one sign-in of its editor on this machine; `hash` is that of the password, by bcrypt. */
  editor: z.optional(z.object({ user: z.string(), hash: z.string() })),
  /** Its flows may use the nodes for messages between instances and devices. */
  messages: z.optional(z.boolean()),
})
export type TargetContents = z.infer<typeof TargetContents>

/** Why a target did not become what runs. */
export const Refused = z.object({
  snapshot: z.nullable(z.string()),
  settings: z.nullable(z.string()),
  code: z.string(),
  message: z.string(),
  /** It is not tried again; otherwise later. */
  final: z.boolean(),
})
export type Refused = z.infer<typeof Refused>

/** The cost of a target that runs, and the verdict on its flows. */
interface Cost {
  takeover: Takeover | undefined
  faults: readonly FlowFault[]
  warning?: string
}
export type Attempted = Pick<DeviceAttempt, 'id' | 'snapshot' | 'name'>

// The beginning of each trace is in the log, and a report may go over a slow line.
const told = (faults: readonly FlowFault[]) => faults.map(({ stack: _stack, ...fault }) => fault)

/** The record of an attempt that ended well. */
export const doneOf = ({ id, snapshot, name }: Attempted, { takeover, faults, warning }: Cost): DeviceAttempt => ({
  id,
  snapshot,
  name,
  state: 'done',
  ...(takeover ? { takeover } : {}),
  ...(warning === undefined ? {} : { warning }),
  faults: told(faults),
})

/** The record of one that did not. */
export const failedOf = (attempted: Attempted, { code, message }: Pick<Refused, 'code' | 'message'>, cost: Cost) => ({
  ...doneOf(attempted, cost),
  state: 'failed' as const,
  reason: message,
  code,
})
