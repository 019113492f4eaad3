import type { Services } from '../../platform/features/services.ts'
import { broken, fine, type Finding, type Look, off, warning } from '../../platform/health/check.ts'
import { listPriceDifferences } from './billing.prices.ts'
import { listFree } from './billing.quantities.ts'
import { listTroubled } from './billing.store.ts'
import { messageOf } from './billing.sync.ts'
import type { PaymentProvider } from './providers/provider.ts'

/** So many teams are named; the rest shows once these are put right. */
const named = 5

const list = (rows: readonly string[]) =>
  `${rows.slice(0, named).join('; ')}${rows.length > named ? `; and ${rows.length - named} more` : ''}.`

/** The check tells administrators the worst finding about billing. */
export function billingChecks({
  config,
  database,
  paymentProvider,
}: Pick<Services, 'config' | 'database' | 'paymentProvider'>): Look[] {
  /** The prices that differ, or why that cannot be told. */
  const pricesOf = async (provider: PaymentProvider): Promise<string[] | string> =>
    listPriceDifferences(database.read, provider).catch((error: unknown) => messageOf(error))

  async function run(): Promise<Finding> {
    if (!paymentProvider) return off('Billing is off.')
    const rows = await listTroubled(database.read, 100)
    const label = ({ slug, team_id }: (typeof rows)[number]) => slug ?? `deleted team ${team_id}`
    const faults = rows.filter(({ fault }) => fault !== null)
    if (config.billing?.provider === 'stripe' && config.billing.webhookSecret === undefined)
      return broken('BILLING04', 'FORGE_STRIPE_WEBHOOK_SECRET is not set.')
    if (faults.length > 0) return broken('BILLING02', list(faults.map((row) => `${label(row)}: ${row.fault}`)))
    const differing = rows.filter(({ difference }) => difference !== null)
    const differences = (which: typeof rows) =>
      warning(
        'BILLING03',
        list(which.map((row) => `${label(row)}: ${row.difference}${row.difference_at === null ? '' : ', corrected'}`)),
      )
    const staying = differing.filter((row) => row.difference_at === null)
    if (staying.length > 0) return differences(staying)
    const free = await listFree(database.read, paymentProvider)
    const prices = paymentProvider.name === 'test' ? [] : await pricesOf(paymentProvider)
    if (typeof prices === 'string') return broken('BILLING02', `Prices were not compared: ${prices}`)
    if (prices.length > 0) return warning('BILLING06', list(prices))
    if (free.length > 0) return warning('BILLING05', `Without a price: ${list(free)}`)
    if (differing.length > 0) return differences(differing)
    if (paymentProvider.name === 'test') return warning('BILLING01', 'FORGE_BILLING_PROVIDER is test.')
    return fine('All subscriptions agree with the payment provider.')
  }
  return [{ part: 'Billing', run }]
}
