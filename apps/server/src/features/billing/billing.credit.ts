import type { Config } from '../../config.ts'
import type { Database } from '../../platform/db/database.ts'
import { hasPaid } from './exchange.store.ts'

export interface CreditDependencies {
  database: Database
  config: Pick<Config, 'billing'>
  switches: { billing: boolean }
}

export type BillingCredit = ReturnType<typeof createBillingCredit>

/** The free credit of people who set up their first subscription. */
export function createBillingCredit({ database, config, switches }: CreditDependencies) {
  const cents = switches.billing ? (config.billing?.freeCredit ?? 0) : 0
  return {
    /** Cents that the next checkout of this person gives. */
    of: async (userId: string): Promise<number> => (cents > 0 && !(await hasPaid(database.read, userId)) ? cents : 0),
    /** Undefined where the platform gives no credit at all. */
    isAvailable: async (userId: string): Promise<boolean | undefined> =>
      cents > 0 ? !(await hasPaid(database.read, userId)) : undefined,
  }
}
