import type { AuditIntegrity } from '@app/contract'
import type { Logger } from 'pino'
import { iso } from '../../platform/clock.ts'
import type { ChainDependencies } from './audit.sealer.ts'
import { verifyChain } from './audit.verify.ts'

export type Integrity = ReturnType<typeof createIntegrity>

/** Verifications that administrators ask for: one at a time, outside the request, since a long log takes its time. */
export function createIntegrity(chain: ChainDependencies & { log: Logger }) {
  const { log, clock } = chain
  let state: AuditIntegrity = { state: 'unchecked', checked: 0, removed: 0, at: null, faults: [] }

  async function run(): Promise<void> {
    try {
      const { checked, removed, faults } = await verifyChain(chain, (so) => {
        state = { ...state, checked: so }
      })
      state = { state: faults.length > 0 ? 'broken' : 'intact', checked, removed, at: iso(clock.now()), faults }
      if (faults.length > 0) log.error({ faults: faults.slice(0, 10) }, 'the audit log is not as it was written')
    } catch (error) {
      state = { ...state, state: 'failed', at: iso(clock.now()) }
      log.error({ err: error }, 'audit log not verified')
    }
  }

  return {
    get: (): AuditIntegrity => state,
    start(): AuditIntegrity {
      if (state.state !== 'running') {
        state = { state: 'running', checked: 0, removed: 0, at: null, faults: [] }
        void run()
      }
      return state
    },
  }
}
