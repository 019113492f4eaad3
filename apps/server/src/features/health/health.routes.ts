import type { RouteIdOf } from '@app/contract'
import type { Handlers } from '../../platform/http/context.ts'
import type { HealthService } from './health.service.ts'

export function healthHandlers(health: HealthService): Handlers<RouteIdOf<'health'> | RouteIdOf<'job'>> {
  return {
    'health.get': async () => health.current(),
    'health.check': async () => health.check(),
    'job.list': async () => ({ jobs: await health.listJobs() }),
    'job.retry': async ({ actor }, { params }) => health.retry(actor, params.jobId),
    'job.cancel': async ({ actor }, { params }) => health.cancel(actor, params.jobId),
  }
}
