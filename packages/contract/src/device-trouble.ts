import * as z from 'zod/mini'
import { Time } from './primitives.ts'

/** Characters of a reason that an agent reports. */
export const troubleReasonMax = 1_000
const reason = z.string().check(z.maxLength(troubleReasonMax))
const crashes = z.number().check(z.int(), z.minimum(1), z.maximum(1e9))

/** Why the flows of a device do not run, as its agent says it, and how long after a crash they start again. */
export const ReportedTrouble = z.object({
  reason,
  /** `safe`: without the flows. The clock of a device may be wrong, so it says no time. */
  restart: z.optional(
    z.object({ crashes, afterMs: z.number().check(z.minimum(0), z.maximum(1e9)), safe: z.boolean() }),
  ),
})
export type ReportedTrouble = z.infer<typeof ReportedTrouble>

/** The same with the time of the next start. */
export const DeviceTrouble = z.object({
  reason: z.string(),
  restart: z.optional(z.object({ crashes: z.number(), at: Time, safe: z.boolean() })),
})
export type DeviceTrouble = z.infer<typeof DeviceTrouble>
