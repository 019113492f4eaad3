import type { FlowsReport } from '@app/contract/instance-link'
import { partsOf } from '../slots.ts'

const well: FlowsReport = {
  state: 'started',
  missingTypes: [],
  missingModules: [],
  faults: [],
  faultCount: 0,
  nodes: 1,
}

/** Reports of flows: as the test has set them before the start, or that all is well. */
export function createStubFlows() {
  const next = new Map<string, Partial<FlowsReport>>()
  const told = new Map<string, FlowsReport>()
  return {
    /** From now on processes that are started for this instance tell this. */
    set: (id: string, report: Partial<FlowsReport>) => void next.set(id, report),
    /** A process begins. */
    begin: (key: string) => void told.set(key, { ...well, ...next.get(partsOf(key).id) }),
    /** The errors of running processes are others now. */
    change(id: string, faults: FlowsReport['faults']): void {
      for (const [key, report] of told) if (partsOf(key).id === id) told.set(key, { ...report, faults })
    },
    of: (key: string) => told.get(key),
    /** As a part of the status of a process. */
    stopped(key: string) {
      const { state, missingTypes, missingModules, reason } = told.get(key) ?? well
      return state === 'stopped'
        ? { flowsStopped: { missingTypes, missingModules, ...(reason ? { reason } : {}) } }
        : {}
    },
  }
}
