import type { Services } from '../../platform/features/services.ts'
import { broken, fine, type Finding, type Look, off, warning } from '../../platform/health/check.ts'
import { countWithoutPort } from '../instances/index.ts'

const isHere = (host: string) => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(host)

/** Looks at the ports of instances; nothing where they have names. */
export function portChecks({ config, database, ports }: Pick<Services, 'config' | 'database' | 'ports'>): Look[] {
  const { instancePorts: range, baseUrl } = config
  async function run(): Promise<Finding> {
    if (!range) return off('Instances have names.')
    const faults = ports.faults()
    if (faults.length > 0) return broken('PORT02', `${faults.slice(0, 3).join('. ')}.`)
    const left = await countWithoutPort(database.read, range)
    const seen = `Instances answer on ports from ${range.first} to ${range.last}.`
    if (left > 0) return broken('PORT03', `${seen} ${left} of them ${left === 1 ? 'has' : 'have'} none.`)
    const { hostname } = new URL(baseUrl)
    return isHere(hostname)
      ? fine(seen)
      : warning('PORT01', `${seen} They share the host ${hostname} with the console.`)
  }
  return [{ part: 'Ports of instances', run }]
}
