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
