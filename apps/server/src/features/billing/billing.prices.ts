import { BillingProperties, TeamTypeProperties } from '@app/contract'
import { jsonColumn } from '../../platform/db/json.ts'
import type { Db } from '../../platform/db/tables.ts'
import type { PaymentProvider, ProviderPrice } from './providers/provider.ts'

const readType = jsonColumn('instance_types.properties', BillingProperties)
const readTeamType = jsonColumn('team_types.properties', TeamTypeProperties)

/** A price as people are shown it, and the id under which the provider has it. */
interface Shown {
  name: string
  text: string
  price: string
  product?: string
}

/** Returns the prices that people are shown and that the provider has by an id: of instance types, and of teams. */
async function listShown(db: Db, { basePrice }: PaymentProvider): Promise<Shown[]> {
  const types = await db.selectFrom('instance_types').select(['id', 'name', 'properties']).orderBy('name').execute()
  const ofInstances = types.flatMap(({ id, name, properties }) => {
    const { billingPriceId: price, billingProductId: product, billingDescription: text = '' } = readType(properties, id)
    return price && product ? [{ name: `Instance type ${name}`, text, price, product }] : []
  })
  if (basePrice === undefined) return ofInstances
  const teamTypes = await db.selectFrom('team_types').select(['id', 'name', 'properties']).orderBy('name').execute()
  const ofTeams = teamTypes.flatMap(({ id, name, properties }) => {
    const { billingDescription: text } = readTeamType(properties, id)
    return text ? [{ name: `Team type ${name}`, text, price: basePrice }] : []
  })
  return [...ofInstances, ...(ofTeams.length > 0 ? ofTeams : [{ name: 'Teams', text: '', price: basePrice }])]
}

/** The amount in a price text such as `$1,000.50/month`, in cents; undefined for one without an amount. */
export function centsIn(text: string): number | undefined {
  const amount = /\d+(?:[.,]\d{1,2})?/.exec(text.replace(/,(?=\d{3})/g, ''))?.[0]?.replace(',', '.')
  return amount === undefined ? undefined : Math.round(Number(amount) * 100)
}

/** The interval that a price text names; undefined where it names none. */
const intervalIn = (text: string) => /\b(day|week|month|year)\b/i.exec(text)?.[0].toLowerCase()

/** Difference between a price at the provider and what people are shown; undefined where there is none. */
function differenceOf({ text, price, product }: Shown, found: ProviderPrice | undefined): string | undefined {
  if (!found) return `the payment provider does not know the price ${price}`
  if (!found.active) return `the price ${price} is archived`
  if (product !== undefined && found.product !== product)
    return `the price ${price} belongs to the product ${found.product}, and ${product} is set`
  const [cents, interval] = [centsIn(text), intervalIn(text)]
  const isSame =
    (cents === undefined || found.cents === null || cents === found.cents) &&
    (interval === undefined || found.interval === undefined || interval === found.interval)
  if (isSame) return undefined
  const amount = found.cents === null ? '' : `${(found.cents / 100).toFixed(2)} ${found.currency.toUpperCase()} `
  return `“${text}” is shown, and ${amount}each ${found.interval ?? 'time'} is charged`
}

/** Returns a sentence for each price that differs from what people are shown. Asks the provider once for each price. */
export async function listPriceDifferences(db: Db, provider: PaymentProvider): Promise<string[]> {
  const shown = await listShown(db, provider)
  const ids = [...new Set(shown.map(({ price }) => price))]
  const found = new Map(await Promise.all(ids.map(async (id) => [id, await provider.getPrice(id)] as const)))
  return shown.flatMap((one) => {
    const difference = differenceOf(one, found.get(one.price))
    return difference === undefined ? [] : [`${one.name}: ${difference}`]
  })
}
