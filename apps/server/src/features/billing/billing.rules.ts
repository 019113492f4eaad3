import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Tx } from '../../platform/db/tables.ts'
import { fail } from '../../platform/http/failure.ts'
import { inTrial, isPaid } from './billing.state.ts'
import { deviceTerms } from './billing.quantities.ts'
import { lockSubscription } from './billing.store.ts'
import { countInstances } from './suspensions.store.ts'

export interface RuleDependencies {
  database: Database
  clock: Clock
  switches: { billing: boolean }
}

export type BillingRules = ReturnType<typeof createBillingRules>

const unpaid = () => fail('billing_required', 'Set up payment for this team first')

/** Without a subscription a team may start nothing, or one instance of one type in a trial. */
export function createBillingRules({ database, clock, switches }: RuleDependencies) {
  const stateOf = (tx: Tx, teamId: string) => lockSubscription(tx, teamId, database.kind === 'postgres')

  return {
    /** @throws Failure billing_required */
    async mayCreate(tx: Tx, { team_id, type_id }: { team_id: string; type_id: string }): Promise<void> {
      if (!switches.billing) return
      const row = await stateOf(tx, team_id)
      if (row && isPaid(row)) return
      if (!row || !inTrial(row, clock.now())) throw unpaid()
      if (row.trial_type_id !== type_id)
        throw fail('billing_required', 'The trial does not include this instance type. Set up payment first')
      if ((await countInstances(tx, team_id)) > 0)
        throw fail('billing_required', 'The trial includes one instance. Set up payment for more')
    },

    /** A trial keeps to its instance type. @throws Failure billing_required */
    async mayBecome(tx: Tx, { team_id }: { team_id: string }, typeId: string): Promise<void> {
      if (!switches.billing) return
      const row = await stateOf(tx, team_id)
      if (row && isPaid(row)) return
      if (!row || !inTrial(row, clock.now())) throw unpaid()
      if (row.trial_type_id !== typeId)
        throw fail('billing_required', 'The trial does not include this instance type. Set up payment first')
    },

    /** Devices beyond the free ones are paid for. @throws Failure billing_required */
    async mayAddDevice(tx: Tx, { team_id }: { team_id: string }): Promise<void> {
      if (!switches.billing) return
      const row = await stateOf(tx, team_id)
      if (row && isPaid(row)) return
      const { cost, free, devices } = await deviceTerms(tx, team_id)
      if (cost > 0 && devices >= free) throw unpaid()
    },

    /** @throws Failure billing_required */
    async mayStart(tx: Tx, { team_id }: { team_id: string }): Promise<void> {
      if (!switches.billing) return
      const row = await stateOf(tx, team_id)
      if (!row || !(isPaid(row) || inTrial(row, clock.now()))) throw unpaid()
    },
  }
}
