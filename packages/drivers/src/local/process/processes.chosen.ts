import type { InstanceRecord } from '../record.store.ts'
import type { Processes } from './processes.ts'

/**
 * Processes of both kinds: new ones are started as `chosen`, and each is found again where it is by its record. So the
 * choice may change while instances run, and they move with their next start.
 */
export function chooseProcesses(machine: Processes, containers: Processes, chosen: Processes): Processes {
  const of = ({ container }: InstanceRecord) => (container === undefined ? machine : containers)
  return {
    get capabilities() {
      return chosen.capabilities
    },
    start: (paths, spec, options) => chosen.start(paths, spec, options),
    isAlive: (record) => of(record).isAlive(record),
    look: (record) => of(record).look(record),
    findOwn: (record) => of(record).findOwn(record),
    isGoneWithin: (record, ms) => of(record).isGoneWithin(record, ms),
    isOfThisBoot: (record) => of(record).isOfThisBoot(record),
    ranOutOfMemory: (record) => of(record).ranOutOfMemory(record),
    keepOutput: (record, paths) => of(record).keepOutput(record, paths),
    endLeftovers: (record, paths, options) => of(record).endLeftovers(record, paths, options),
    hungReason: (record) => of(record).hungReason(record),
    usage: (live) => of(live.record).usage(live),
  }
}
