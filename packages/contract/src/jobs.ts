import * as z from 'zod/mini'
import { Id, Time } from './primitives.ts'

/** One named step of a job, as the person who waits sees it. `done` and `total` count the same unit. */
export const JobStep = z.object({
  name: z.string(),
  state: z.enum(['waiting', 'running', 'done', 'failed']),
  startedAt: z.optional(Time),
  endedAt: z.optional(Time),
  text: z.optional(z.string()),
  done: z.optional(z.number()),
  total: z.optional(z.number()),
})
export type JobStep = z.infer<typeof JobStep>

/** A long operation: durable, resumed after a kill, ends in a result. */
export const Job = z.object({
  id: Id,
  kind: z.string(),
  title: z.string(),
  state: z.enum(['queued', 'running', 'done', 'failed']),
  createdAt: Time,
  startedAt: z.optional(Time),
  endedAt: z.optional(Time),
  error: z.optional(z.string()),
  /** Which of the waiting ones it is, from 1; the first begins next. */
  queuePosition: z.optional(z.number()),
  steps: z.array(JobStep),
})
export type Job = z.infer<typeof Job>
