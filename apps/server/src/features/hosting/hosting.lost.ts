import type { Logger } from 'pino'
import type { Jobs } from '../../platform/jobs/jobs.ts'
import type { Host } from './hosting.service.ts'
import type { Monitor } from '../monitoring/index.ts'

/** Milliseconds in which a server that lost the instances may end them. */
const lostMs = 30_000

interface LostDependencies {
  jobs: Pick<Jobs, 'abandon'>
  monitor: Pick<Monitor, 'stopAll'>
  host: Pick<Host, 'cleared'>
  log: Logger
  end(reason: string): void
}

/** Ends everything of the instances here, then the server, once another server has taken them over. */
export function createLost(services: LostDependencies): (reason: string) => void {
  return (reason) => {
    // Read now: these services need the host, which is made with this.
    const { jobs, monitor, host, log, end } = services
    jobs.abandon()
    // Ending them must not keep this server if it hangs; what is left then is ended by its next start.
    const late = setTimeout(end, lostMs, `${reason} Not all of them ended in time.`)
    const ending = () => monitor.stopAll({ silently: true })
    // Again for what a job was just about to start.
    void ending()
      .then(ending)
      .catch((error: unknown) => log.error({ err: error }, 'not all instances were ended'))
      .then(() => host.cleared())
      .catch((error: unknown) => log.error({ err: error }, 'could not record that the instances were stopped'))
      .finally(() => {
        clearTimeout(late)
        end(reason)
      })
  }
}
