import * as z from 'zod/mini'
import { FlowFault } from './flows-report.ts'
import { flowFaultsMax } from './instance-link.constants.ts'
import { Takeover, TakeoverSetting } from './takeover.ts'

const text = (max: number) => z.string().check(z.maxLength(max))

/** An attempt of an agent to run a target, as it reports the last one. Only agents of this platform do. */
export const DeviceAttempt = z.object({
  /** Tells one attempt from another at the same target. */
  id: text(100),
  snapshot: z.nullable(text(200)),
  /** The name of the snapshot; empty where it could not be downloaded. */
  name: text(400),
  /** `failed`: what ran before goes on. */
  state: z.enum(['done', 'failed']),
  /** Absent where nothing ran before, and for an attempt that ended before that was decided. */
  takeover: z.optional(z.extend(Takeover, { why: text(1_000) })),
  /** Why it failed, in a sentence, and as a code. */
  reason: z.optional(text(1_000)),
  code: z.optional(text(200)),
  /** Why flows that it runs do nothing, in a sentence. */
  warning: z.optional(text(1_000)),
  /** Errors of its flows that those before did not have, or why it was refused. */
  faults: z.array(z.omit(FlowFault, { stack: true })).check(z.maxLength(flowFaultsMax)),
})
export type DeviceAttempt = z.infer<typeof DeviceAttempt>

/** The rules by which an agent of this platform brings a target in. */
export const DeviceTerms = z.object({
  takeover: TakeoverSetting,
  /** A target that brings new errors is refused. */
  refusesErrors: z.boolean(),
  /** Time that a target must run without a crash. */
  steadySeconds: z.number(),
})
export type DeviceTerms = z.infer<typeof DeviceTerms>
