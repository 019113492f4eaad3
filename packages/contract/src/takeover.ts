import * as z from 'zod/mini'

/**
 * Ways in which a new version of the flows takes over from the one that serves. `beside`: both run for a moment.
 * `held`: the new one runs with its inputs closed until the other is stopped. `stop-first`: the new one is loaded, and
 * its flows are started once those of the other are stopped. `restart`: one process ends before the next starts.
 */
export const takeoverWays = ['beside', 'held', 'stop-first', 'restart'] as const
export const TakeoverWay = z.enum(takeoverWays)
export type TakeoverWay = z.infer<typeof TakeoverWay>

/** The takeover setting of an instance; `auto`: the nodes of its flows and their open resources decide. */
export const TakeoverSetting = z.enum(['auto', 'beside', 'held', 'stop-first'])
export type TakeoverSetting = z.infer<typeof TakeoverSetting>

/** Plan of a takeover, with the reason in a sentence. */
export const TakeoverPlan = z.object({ way: TakeoverWay, why: z.string() })
export type TakeoverPlan = z.infer<typeof TakeoverPlan>

/** Record of a takeover. The rest is there once it happened, where one of the two versions acted at a time. */
export const Takeover = z.extend(TakeoverPlan, {
  /** Milliseconds in which neither version acted. */
  gapMs: z.optional(z.number()),
  /** Messages of timers that came late. */
  late: z.optional(z.number()),
  /** Messages that nodes sent by themselves while no version acted, and that no version handled. */
  dropped: z.optional(z.number()),
})
export type Takeover = z.infer<typeof Takeover>
