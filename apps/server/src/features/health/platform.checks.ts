import { counted } from '../../platform/counted.ts'
import type { Services } from '../../platform/features/services.ts'
import { broken, fine, type Finding, type Look, off, type Shared, warning } from '../../platform/health/check.ts'
import { checkAddress, checkCookies, checkNames } from './address.checks.ts'
import { checkCertificate } from './certificate.checks.ts'
import {
  checkClock,
  checkDatabase,
  checkDescriptors,
  checkDisk,
  createSoundness,
  driverChecks,
  judgeKey,
} from './machine.checks.ts'
import { judgeArrival, takesLargeBodies } from './proxy.checks.ts'

type Needs = Pick<
  Services,
  'arrivals' | 'certificates' | 'clock' | 'config' | 'database' | 'disk' | 'driver' | 'keys' | 'trust'
>

const dayMs = 86_400_000

/** The health checks of the machine, the driver and the addresses. Those of features are declared by each. */
export function createPlatformChecks(services: Needs): Look[] {
  const { arrivals, certificates, clock, config, database, disk, driver, keys, trust } = services
  const { baseUrl, home } = config
  const instanceDomain = config.instancePorts ? undefined : config.instanceDomain
  const { registry, warm, limits } = driverChecks(driver)
  const soundness = createSoundness(home, clock)

  async function checkJobs(shared: Shared): Promise<Finding> {
    const all = await shared.jobs()
    const stuck = all.filter((one) => one.stuck).length
    const since = clock.now() - dayMs
    const failed = all.filter(({ job }) => job.state === 'failed' && Date.parse(job.endedAt ?? job.createdAt) > since)
    const open = all.filter(({ job }) => job.state !== 'failed').length
    if (stuck > 0)
      return broken('JOB01', `${stuck} of ${counted(open, 'open job')} ${stuck === 1 ? 'is' : 'are'} stuck.`)
    if (failed.length > 0) return warning('JOB02', `${failed.length} failed in the last 24 hours; ${open} open.`)
    return fine(`${open} open. None failed in the last 24 hours.`)
  }

  async function checkProxy(): Promise<Finding> {
    const seen = await arrivals.look(baseUrl)
    const found = judgeArrival(seen, { trust, proxies: config.trustProxy, secure: baseUrl.startsWith('https:') })
    if (found.state !== 'ok' || seen?.direct) return found
    if (!(await takesLargeBodies(baseUrl))) return warning('PROXY04', 'Requests of 32 MB are refused on the way.')
    const streams = await arrivals.streams(baseUrl)
    return streams === false ? warning('PROXY05', 'The start of an answer arrives with its end alone.') : found
  }

  return [
    { part: 'Database', leads: true, run: () => checkDatabase(database, soundness) },
    { part: 'Disk', leads: true, run: () => checkDisk(home, disk) },
    { part: 'Open files', leads: true, run: checkDescriptors },
    { part: 'Jobs', leads: true, run: checkJobs },
    {
      part: 'Master key',
      run: async () => judgeKey({ isReplacing: await keys.isReplacing(), isOutdated: keys.isOutdated() }),
    },
    { part: 'Process isolation', run: limits },
    { part: 'Standby processes', run: warm },
    { part: 'Public address', run: () => checkAddress(baseUrl) },
    {
      part: 'Names of instances',
      run: async () => (instanceDomain ? checkNames(baseUrl, instanceDomain) : off('Instances have ports.')),
    },
    { part: 'Reverse proxy', run: checkProxy },
    { part: 'Certificate', run: () => checkCertificate(baseUrl, instanceDomain, certificates) },
    ...(instanceDomain ? [{ part: 'Cookies', run: () => checkCookies(baseUrl, instanceDomain) }] : []),
    { part: 'Registry', run: registry },
    { part: 'Clock', run: () => checkClock(database) },
  ]
}
