import * as z from 'zod/mini'

const text = (max: number) => z.string().check(z.maxLength(max))

/**
 * Update method of the agent of this platform on a device: the agent updates itself, somebody runs the installer again,
 * or somebody starts another container image.
 */
export const AgentUpdater = z.enum(['self', 'installer', 'image'])
export type AgentUpdater = z.infer<typeof AgentUpdater>

/** An order of a person that the agent of a device becomes this version, whose package has this hash. */
export const AgentOrder = z.object({
  /** Tells one order from another for the same version. */
  id: text(100),
  version: text(100),
  sha256: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
})
export type AgentOrder = z.infer<typeof AgentOrder>

/** Result of an order, as the agent reports it. `failed`: the version before runs on. */
export const AgentUpdate = z.object({
  id: text(100),
  version: text(100),
  state: z.enum(['done', 'failed']),
  /** Why it failed, as a code and in a sentence. */
  code: z.optional(text(200)),
  message: z.optional(text(1_000)),
})
export type AgentUpdate = z.infer<typeof AgentUpdate>
