import * as z from 'zod/mini'

/** States a driver can observe of an instance (decisions: instance state machine, layer 3). */
export const driverStates = [
  'loading',
  'installing',
  'starting',
  'running',
  'safe',
  'stopping',
  'stopped',
  'crashed',
  'unknown',
  'error',
] as const
export const DriverState = z.enum(driverStates)
export type DriverState = z.infer<typeof DriverState>

export const Versions = z.object({ 'node-red': z.string(), launcher: z.string(), node: z.string() })
export type Versions = z.infer<typeof Versions>

/**
 * One line of an instance's log. `ts` is milliseconds since the epoch followed by a four-digit
 * sequence, as a string, and is the cursor (NRLOG-06). `level` is Node-RED's word.
 */
export const LogEntry = z.object({
  ts: z.string(),
  level: z.string(),
  msg: z.string(),
  src: z.optional(z.string()),
})
export type LogEntry = z.infer<typeof LogEntry>
