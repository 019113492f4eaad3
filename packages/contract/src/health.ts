import * as z from 'zod/mini'
import { Job } from './jobs.ts'
import { Id, Time } from './primitives.ts'
import { may, route } from './route.ts'

/** `off`: there is nothing to look at by the settings. */
export const HealthState = z.enum(['ok', 'warning', 'error', 'off'])
export type HealthState = z.infer<typeof HealthState>

/** The result of one health check. `code` names the problem; the table of codes explains it. */
export const HealthCheck = z.object({
  part: z.string(),
  state: HealthState,
  code: z.optional(z.string()),
  /** The observation, in a sentence. */
  seen: z.string(),
})
export type HealthCheck = z.infer<typeof HealthCheck>

export const Health = z.object({ checkedAt: Time, checks: z.array(HealthCheck) })
export type Health = z.infer<typeof Health>

/** A job as administrators see it, whoever asked for it. */
export const AdminJob = z.extend(Job, {
  subject: z.string(),
  /** The name of the job's subject, as people know it; absent when the subject is gone or has no name. */
  name: z.optional(z.string()),
  /** It is open, and nothing has happened for too long. */
  stuck: z.boolean(),
  canRetry: z.boolean(),
  canCancel: z.boolean(),
})
export type AdminJob = z.infer<typeof AdminJob>

const JobParams = z.object({ jobId: Id })

export const healthRoutes = {
  'health.get': route({
    method: 'GET',
    path: '/api/v1/admin/health',
    summary: 'Health of the platform. Checks again when the last result is older than a minute',
    access: may('platform:operate', 'platform'),
    reply: Health,
    errors: [],
  }),
  'health.check': route({
    method: 'POST',
    path: '/api/v1/admin/health',
    whenDiskIsFull: true,
    summary: 'Run all health checks now',
    access: may('platform:operate', 'platform'),
    reply: Health,
    errors: [],
  }),
  'job.list': route({
    method: 'GET',
    path: '/api/v1/admin/jobs',
    summary: 'Open jobs, then failed jobs without a successor, newest first, at most 200',
    access: may('platform:operate', 'platform'),
    reply: z.object({ jobs: z.array(AdminJob) }),
    errors: [],
  }),
  'job.retry': route({
    method: 'POST',
    path: '/api/v1/admin/jobs/:jobId/retry',
    summary: 'Retry a failed job from the failed step, unless a later job has run on the same subject',
    access: may('platform:operate', 'platform'),
    params: JobParams,
    reply: Job,
    errors: ['invalid_state'],
    audit: 'platform.job.retried',
  }),
  'job.cancel': route({
    method: 'POST',
    path: '/api/v1/admin/jobs/:jobId/cancel',
    whenDiskIsFull: true,
    summary: 'Cancel a waiting or stuck job. It ends as failed',
    access: may('platform:operate', 'platform'),
    params: JobParams,
    reply: Job,
    errors: ['invalid_state'],
    audit: 'platform.job.cancelled',
  }),
}
