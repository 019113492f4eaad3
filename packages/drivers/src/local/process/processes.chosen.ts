import { DriverError, type DriverName } from '../../driver.ts'
import type { InstanceRecord } from '../record.store.ts'
import type { Processes } from './processes.ts'

function driverOf({ container, service, pod }: InstanceRecord): DriverName {
  if (pod !== undefined) return 'kubernetes'
  if (service !== undefined) return 'swarm'
  return container === undefined ? 'local' : 'docker'
}

/**
 * Processes of all kinds: each new one is started by the driver that its specification names, else by the usual one,
 * which is the first of `offers`; and each is found again where it is by its record. So the choice may change while
 * instances run, and they move with their next start.
 */
export function chooseProcesses(
  offers: readonly [DriverName, ...DriverName[]],
  all: Record<DriverName, Processes>,
): Processes {
  const of = (record: InstanceRecord) => all[driverOf(record)]
  return {
    get capabilities() {
      return all[offers[0]].capabilities
    },
    async start(paths, spec, options) {
      const { driver = offers[0] } = spec
      if (!offers.includes(driver))
        throw new DriverError(
          'no_driver',
          `The type of this instance wants the driver ${driver}, which this server does not have: see FORGE_DRIVERS`,
        )
      return all[driver].start(paths, spec, options)
    },
    isAlive: (record) => of(record).isAlive(record),
    look: (record) => of(record).look(record),
    findOwn: (record) => of(record).findOwn(record),
    isGoneWithin: (record, ms) => of(record).isGoneWithin(record, ms),
    isOfThisBoot: (record) => of(record).isOfThisBoot(record),
    endReason: (record) => of(record).endReason(record),
    ranOutOfMemory: (record) => of(record).ranOutOfMemory(record),
    keepOutput: (record, paths) => of(record).keepOutput(record, paths),
    endLeftovers: (record, paths, options) => of(record).endLeftovers(record, paths, options),
    hungReason: (record) => of(record).hungReason(record),
    stuckReason: (record) => of(record).stuckReason?.(record),
    usage: (live) => of(live.record).usage(live),
  }
}
