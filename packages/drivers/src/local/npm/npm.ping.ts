import { DriverError, type DriverHealth } from '../../driver.ts'
import { commonError, type NpmFault } from './npm.errors.ts'
import type { Npm } from './npm.ts'

const silent = new Set<NpmFault['kind']>(['unreachable', 'certificate', 'late', 'failing', 'disk'])

/** Does the registry of npm answer, asked in the way in which modules are fetched? Whatever it says is an answer. */
export async function pingRegistry(npm: Npm, folder: string): Promise<NonNullable<DriverHealth['registry']>> {
  let kind: NpmFault['kind'] | undefined
  try {
    await npm.run({
      folder,
      args: ['ping', '--fetch-retries=0', '--fetch-timeout=5000'],
      explain(fault, cause) {
        kind = fault.kind
        if (kind === 'certificate') return commonError(fault, 'it', cause)
        return new DriverError('registry', 'The registry of npm does not answer', { cause })
      },
    })
    return { reachable: true }
  } catch (error) {
    if (kind && !silent.has(kind)) return { reachable: true }
    return { reachable: false, reason: error instanceof Error ? error.message : String(error) }
  }
}
