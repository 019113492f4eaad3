import type { Logger } from 'pino'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db/database.ts'
import { byProduct, isSame, wantedOf } from './billing.quantities.ts'
import { listDue, listPaid, readQuantities } from './billing.store.ts'
import type { BillingSuspensions } from './billing.suspensions.ts'
import type { BillingSync } from './billing.sync.ts'
import type { BillingTrials } from './billing.trials.ts'
import type { PaymentProvider } from './providers/provider.ts'

export interface WatchDependencies {
  database: Database
  clock: Clock
  log: Logger
  paymentProvider: PaymentProvider | undefined
  billingSuspensions: BillingSuspensions
  billingSync: BillingSync
  billingTrials: BillingTrials
}

const everyMs = 15_000
const batch = 100

export type BillingWatch = ReturnType<typeof createBillingWatch>

/** Looks now and then at trials, at instances that nobody pays for, and at subscriptions that are to be compared. */
export function createBillingWatch(deps: WatchDependencies) {
  const { database, clock, log, paymentProvider, billingSuspensions, billingSync, billingTrials } = deps
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> | undefined

  /** Teams whose subscription says something else than what they use. */
  async function changed(provider: PaymentProvider): Promise<string[]> {
    const paid = (await listPaid(database.read)).filter(({ fault }) => fault === null)
    const { teams } = await wantedOf(database.read, provider, paid, clock.now())
    return paid.flatMap(({ team_id, quantities }) => {
      const wanted = teams.get(team_id)
      return wanted && !isSame(readQuantities(quantities, team_id), byProduct(wanted)) ? [team_id] : []
    })
  }

  async function look(provider: PaymentProvider): Promise<void> {
    await billingTrials.check()
    const due = (await listDue(database.read, clock.now(), batch)).map(({ team_id }) => team_id)
    const teams = new Set([...due, ...(await changed(provider))])
    for (const team of teams) await database.transact((tx) => billingSync.request(tx, team))
    await billingSuspensions.check()
  }

  const check = async (): Promise<void> => {
    if (!paymentProvider) return
    return (looking ??= look(paymentProvider).finally(() => {
      looking = undefined
    }))
  }

  return {
    /** One look. Nothing while billing is off. */
    check,
    start(): void {
      if (!paymentProvider) return
      timer = setInterval(() => {
        check().catch((error: unknown) => log.warn({ err: error }, 'subscriptions not looked at'))
      }, everyMs)
    },
    async stop(): Promise<void> {
      clearInterval(timer)
      await looking?.catch(() => undefined)
    },
  }
}
