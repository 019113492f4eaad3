import { BillingProperties, TeamTypeProperties } from '@app/contract'
import { sql } from 'kysely'
import { jsonColumn } from '../../platform/db/json.ts'
import type { Db } from '../../platform/db/tables.ts'
import { centsIn } from './billing.prices.ts'
import type { SubscriptionRow } from './billing.store.ts'
import type { BilledItem, PaymentProvider, ProviderSubscription, Quantity } from './providers/provider.ts'

const readType = jsonColumn('instance_types.properties', BillingProperties)
/** The parts of a team type that cost something. */
const readTeamType = jsonColumn('team_types.properties', TeamTypeProperties)

const count = sql<number>`count(*)`

/** Does the price text of a type say that it costs nothing, such as `Free` or `$0`? */
function isFree({ id, properties }: { id: string; properties: string }): boolean {
  const { billingDescription = '' } = readType(properties, id)
  return billingDescription.trim() !== '' && (centsIn(billingDescription) ?? 0) === 0
}

/** An instance type as an item; undefined: it has no price. */
function itemOfType(
  { id, name, properties }: { id: string; name: string; properties: string },
  { needsPriceIds }: PaymentProvider,
): BilledItem | undefined {
  const { billingProductId: product, billingPriceId: price, billingDescription } = readType(properties, id)
  const cents = centsIn(billingDescription ?? '') ?? 0
  if (product && price) return { product, price, name, cents }
  return needsPriceIds || cents === 0 ? undefined : { product: `type-${id}`, name, cents }
}

/**
 * Returns the quantities these teams are charged for at this time: instances that are not suspended, devices beyond the free ones, and
 * members, each as far as its type has a price. The first instance of a trial is free until its end. `products` are all
 * those whose quantities this platform keeps.
 */
export async function wantedOf(
  db: Db,
  provider: PaymentProvider,
  subscriptions: readonly Pick<SubscriptionRow, 'team_id' | 'trial_ends_at' | 'trial_type_id'>[],
  now: number,
): Promise<{ teams: Map<string, Quantity[]>; products: Set<string> }> {
  const ids = subscriptions.map(({ team_id }) => team_id)
  if (ids.length === 0) return { teams: new Map(), products: new Set() }
  const rows = await db.selectFrom('instance_types').select(['id', 'name', 'properties']).execute()
  const types = new Map(rows.map((row) => [row.id, { item: itemOfType(row, provider) }]))
  const instances = await db
    .selectFrom('instances')
    .select(['team_id', 'type_id', count.as('n')])
    .where('team_id', 'in', ids)
    .where('deleted_at', 'is', null)
    // One that sleeps serves whoever asks for it.
    .where((where) => where.or([where('wanted', '!=', 'suspended'), where('asleep', '=', 1)]))
    .groupBy(['team_id', 'type_id'])
    .execute()
  const teams = await db
    .selectFrom('teams as team')
    .innerJoin('team_types as type', 'type.id', 'team.type_id')
    .select(['team.id', 'type.properties'])
    .select((q) => [
      q.selectFrom('devices').whereRef('team_id', '=', 'team.id').select(count.as('n')).as('devices'),
      q.selectFrom('team_members').whereRef('team_id', '=', 'team.id').select(count.as('n')).as('members'),
    ])
    .where('team.id', 'in', ids)
    .execute()

  const wanted = new Map<string, Quantity[]>()
  for (const team of teams) {
    const trial = subscriptions.find(({ team_id }) => team_id === team.id)
    const freeType = (trial?.trial_ends_at ?? 0) > now ? trial?.trial_type_id : undefined
    const quantities: Quantity[] = []
    for (const { team_id, type_id, n } of instances) {
      const type = types.get(type_id)
      if (team_id !== team.id || !type) continue
      const charged = Number(n) - (type_id === freeType ? 1 : 0)
      if (type.item && charged > 0) quantities.push({ item: type.item, quantity: charged })
    }
    const { billing = {}, deviceFreeAllocation = 0 } = readTeamType(team.properties, team.id)
    const perTeam = [
      ['device', 'Devices', billing.deviceCost, Number(team.devices) - deviceFreeAllocation],
      ['user', 'Members', billing.userCost, Number(team.members)],
    ] as const
    for (const [kind, name, cents = 0, quantity] of perTeam) {
      const product = provider.products[kind]
      if (product !== undefined && cents > 0 && quantity > 0)
        quantities.push({ item: { product, name, cents }, quantity })
    }
    wanted.set(team.id, merged(quantities))
  }
  const ofTypes = [...types.values()].flatMap(({ item }) => item?.product ?? [])
  return { teams: wanted, products: new Set([...ofTypes, ...Object.values(provider.products)]) }
}

/** Names of instance types and of team types that teams which pay use, and that have no price at the provider. */
export async function listFree(db: Db, provider: PaymentProvider): Promise<string[]> {
  const paid = ['active', 'past_due']
  const teamTypes = db
    .selectFrom('team_types as type')
    .select(['type.id', 'type.name', 'type.properties', sql<string>`'team'`.as('of')])
    .where((where) =>
      where.exists(
        where
          .selectFrom('teams as team')
          .innerJoin('subscriptions as subscription', 'subscription.team_id', 'team.id')
          .select('team.id')
          .whereRef('team.type_id', '=', 'type.id')
          .where('subscription.status', 'in', paid),
      ),
    )
  const types = await db
    .selectFrom('instance_types as type')
    .select(['type.id', 'type.name', 'type.properties', sql<string>`'instance'`.as('of')])
    .where((where) =>
      where.exists(
        where
          .selectFrom('instances as instance')
          .innerJoin('subscriptions as subscription', 'subscription.team_id', 'instance.team_id')
          .select('instance.id')
          .whereRef('instance.type_id', '=', 'type.id')
          .where('instance.deleted_at', 'is', null)
          .where('subscription.status', 'in', paid),
      ),
    )
    .unionAll(teamTypes)
    .execute()
  const lacks = (cents: number | undefined, product: string | undefined) => (cents ?? 0) > 0 && product === undefined
  const { device, user } = provider.products
  return types.flatMap((type) => {
    if (type.of === 'instance') return itemOfType(type, provider) || isFree(type) ? [] : [type.name]
    const { billing = {} } = readTeamType(type.properties, type.id)
    return lacks(billing.deviceCost, device) || lacks(billing.userCost, user) ? [type.name] : []
  })
}

/** Returns the price of a device of a team, the number that is free, and the number there is. */
export async function deviceTerms(db: Db, teamId: string): Promise<{ cost: number; free: number; devices: number }> {
  const team = await db
    .selectFrom('teams as team')
    .innerJoin('team_types as type', 'type.id', 'team.type_id')
    .select('type.properties')
    .select((q) => q.selectFrom('devices').whereRef('team_id', '=', 'team.id').select(count.as('n')).as('devices'))
    .where('team.id', '=', teamId)
    .executeTakeFirstOrThrow()
  const { billing = {}, deviceFreeAllocation: free = 0 } = readTeamType(team.properties, teamId)
  return { cost: billing.deviceCost ?? 0, free, devices: Number(team.devices) }
}

/** Types that share a product are one item of a subscription. */
function merged(quantities: readonly Quantity[]): Quantity[] {
  const byProduct = new Map<string, Quantity>()
  for (const { item, quantity } of quantities) {
    const before = byProduct.get(item.product)?.quantity ?? 0
    byProduct.set(item.product, { item, quantity: before + quantity })
  }
  return [...byProduct.values()]
}

/**
 * Returns the quantities that a subscription charges, by those of these products that it has. The price of the team itself may
 * be of a product whose quantity follows what the team uses.
 */
export function chargedOf(
  { items }: Pick<ProviderSubscription, 'items'>,
  products: ReadonlySet<string>,
  { basePrice }: Pick<PaymentProvider, 'basePrice'>,
): Record<string, number> {
  const charged: Record<string, number> = {}
  for (const { product, price, quantity } of items)
    if (products.has(product) && price !== basePrice) charged[product] = (charged[product] ?? 0) + quantity
  return charged
}

/** Quantities by product. */
export const byProduct = (quantities: readonly Quantity[]): Record<string, number> =>
  Object.fromEntries(quantities.map(({ item, quantity }) => [item.product, quantity]))

/** Do two sets of quantities say the same? */
export function isSame(a: Record<string, number>, b: Record<string, number>): boolean {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].every(
    (product) => (a[product] ?? 0) === (b[product] ?? 0),
  )
}
