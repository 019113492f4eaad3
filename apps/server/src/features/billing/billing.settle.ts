import { systemActor } from '../../platform/authz/actor.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Tx } from '../../platform/db/tables.ts'
import type { Bus } from '../../platform/events/bus.ts'
import { type Audit, changes, teamScope } from '../audit/index.ts'
import { teamRef } from '../teams/index.ts'
import { chargedOf, wantedOf } from './billing.quantities.ts'
import { isPaid } from './billing.state.ts'
import { findSubscription, lockSubscription, type SubscriptionRow, updateSubscription } from './billing.store.ts'
import {
  type CheckoutRow,
  dropChanges,
  type EventRow,
  findCreditedUser,
  insertCheckout,
  isCheckoutOpen,
  isOwed,
  listCheckouts,
  updateCheckout,
} from './exchange.store.ts'
import type { PaymentProvider, ProviderCheckout, ProviderSubscription } from './providers/provider.ts'

export interface SettleDependencies {
  database: Database
  bus: Bus
  clock: Clock
  audit: Audit
}

type Team = Parameters<typeof teamRef>[0]

/** Takes over what a provider says of the checkouts and the subscription of a team. */
export function createSettling({ database, bus, clock, audit }: SettleDependencies) {
  const isPostgres = database.kind === 'postgres'

  async function changeStatus(tx: Tx, team: Team, row: SubscriptionRow, change: Partial<SubscriptionRow>) {
    const after = { ...row, ...change }
    const hasEnded = after.status === 'canceled' && row.status !== 'canceled'
    await updateSubscription(tx, team.id, {
      ...change,
      updated_at: clock.now(),
      // A team that pays and cancels has given up its trial.
      ...(hasEnded && { trial_ends_at: null, difference: null, difference_at: null }),
    })
    const body = { team: teamRef(team), subscription: { subscription: after.subscription_id ?? '' } }
    if (after.status === row.status) return
    const scope = teamScope(team.id)
    if (hasEnded) {
      await dropChanges(tx, team.id)
      await audit.record(tx, systemActor, 'billing.subscription.deleted', scope, body)
    } else {
      const updates = changes({ status: row.status }, { status: after.status })
      await audit.record(tx, systemActor, 'billing.subscription.updated', scope, { ...body, updates })
    }
    await bus.publish(tx, { type: 'team', team: team.id })
  }

  /** A checkout was completed: the team has its subscription, unless it pays for another one already. */
  async function complete(
    provider: PaymentProvider,
    team: Team,
    checkout: CheckoutRow,
    { subscription: id, customer }: { subscription: string; customer?: string },
  ): Promise<void> {
    const found = await provider.getSubscription(id)
    if (!found) return
    const isOther = await paysFor(provider, team, id)
    // Two checkouts were completed: nobody pays twice.
    const quantities = await quantitiesOf(provider, team, found)
    const isBack = isOther && (await provider.cancel(id, 'refund', `cancel-${id}`))
    const credit = await database.transact(async (tx) => {
      const locked = await lockSubscription(tx, team.id, isPostgres)
      if (!locked) return 0
      const has = isOther || (await findCreditedUser(tx, checkout, isPostgres))
      const owed = has ? 0 : checkout.credit
      // A backup that was restored may not know the checkout, and its payment may take days.
      if (isOther) await insertCheckout(tx, checkout)
      const state = isBack ? 'refunded' : isOther ? 'duplicate' : 'complete'
      await updateCheckout(tx, checkout.id, { state, credit: owed })
      const body = { team: teamRef(team), billingSession: { id: checkout.id } }
      await audit.record(tx, systemActor, 'billing.session.completed', teamScope(team.id), body)
      if (isOther) return 0
      await changeStatus(tx, team, locked, {
        status: found.status,
        subscription_id: id,
        customer_id: customer ?? found.customer.id,
        quantities,
        // A trial that still runs keeps its instance free; one that has ended is over.
        ...(Number(locked.trial_ends_at ?? 0) > clock.now() ? {} : { trial_ends_at: null }),
      })
      return owed
    })
    await giveCredit(provider, team, { ...checkout, credit }, found)
  }

  /** The quantities that a subscription begins with, so that a later difference is known as one. */
  async function quantitiesOf(provider: PaymentProvider, { id }: Team, found: ProviderSubscription): Promise<string> {
    const row = { team_id: id, trial_ends_at: null, trial_type_id: null }
    const { products } = await wantedOf(database.read, provider, [row], clock.now())
    return JSON.stringify(chargedOf(found, products, provider))
  }

  /** Does the team pay for another subscription than this one? The provider says so, because ours may be out of date. */
  async function paysFor(provider: PaymentProvider, team: Team, id: string): Promise<boolean> {
    const row = await findSubscription(database.read, team.id)
    if (!row || !isPaid(row) || row.subscription_id === null || row.subscription_id === id) return false
    const other = await provider.getSubscription(row.subscription_id)
    return other !== undefined && other.status !== 'canceled'
  }

  /** Checkouts that messages are about and that are not kept here, as after a backup was restored. */
  async function unknownOf(
    provider: PaymentProvider,
    team: Team,
    known: readonly CheckoutRow[],
    told: ReadonlySet<string>,
  ): Promise<CheckoutRow[]> {
    const ids = [...told].filter((id) => !known.some((checkout) => checkout.id === id))
    const found = await Promise.all(ids.map(async (id) => [id, await provider.getCheckout(id)] as const))
    const shared = { team_id: team.id, user_id: '', url: '', credit: 0, credit_given: 0, state: 'open' } as const
    return found.flatMap(([id, checkout]) =>
      checkout?.team === team.id ? [{ ...shared, id, created_at: clock.now() }] : [],
    )
  }

  async function settleCheckout(provider: PaymentProvider, team: Team, checkout: CheckoutRow): Promise<void> {
    const open = await provider.getCheckout(checkout.id)
    if (checkout.state === 'duplicate') return giveBack(provider, checkout, open)
    // The team pays by another checkout: this one shall not be completed too.
    const isOver = open?.state === 'open' && (await paysFor(provider, team, open.subscription ?? ''))
    const found = isOver ? await provider.endCheckout(checkout.id) : open
    if (checkout.state === 'complete') {
      const subscription = await provider.getSubscription(found?.subscription ?? '')
      if (subscription) await giveCredit(provider, team, checkout, subscription)
    } else if (found?.state === 'complete' && found.subscription !== undefined) {
      await complete(provider, team, checkout, { ...found, subscription: found.subscription })
    } else if (found?.state === 'expired') {
      await database.transact((tx) => updateCheckout(tx, checkout.id, { state: 'expired' }))
    }
  }

  /** The payment of a checkout that was too many may have arrived by now. */
  async function giveBack(
    provider: PaymentProvider,
    { id }: CheckoutRow,
    found: ProviderCheckout | undefined,
  ): Promise<void> {
    const subscription = found?.subscription
    if (subscription !== undefined && !(await provider.cancel(subscription, 'refund', `cancel-${subscription}`))) return
    await database.transact((tx) => updateCheckout(tx, id, { state: 'refunded' }))
  }

  async function giveCredit(
    provider: PaymentProvider,
    team: Team,
    { id, credit }: CheckoutRow,
    { id: subscription, customer }: ProviderSubscription,
  ): Promise<void> {
    if (credit === 0) return
    await provider.addCredit(customer.id, credit, `credit-${id}`)
    await database.transact(async (tx) => {
      await updateCheckout(tx, id, { credit_given: 1 })
      await audit.record(tx, systemActor, 'billing.subscription.credit-applied', teamScope(team.id), {
        team: teamRef(team),
        subscription: { subscription },
        updates: changes({ credit: 0 }, { credit }),
      })
    })
  }

  return {
    /** Looks at the checkouts that are open, or that messages are about. Returns how many there were. */
    async checkouts(provider: PaymentProvider, team: Team, events: readonly EventRow[]): Promise<number> {
      const told = new Set(events.flatMap(({ checkout_id }) => checkout_id ?? []))
      const isDue = (checkout: CheckoutRow) =>
        (['open', 'duplicate'].includes(checkout.state) && told.has(checkout.id)) ||
        isCheckoutOpen(checkout, clock.now()) ||
        isOwed(checkout, clock.now()) ||
        (checkout.state === 'complete' && checkout.credit > 0 && checkout.credit_given === 0)
      const known = await listCheckouts(database.read, team.id)
      const due = [...known.filter(isDue).toReversed(), ...(await unknownOf(provider, team, known, told))]
      for (const checkout of due) await settleCheckout(provider, team, checkout)
      return due.length
    },

    /** Takes over a subscription that a message is about, if it is of this team and the team has none that goes on. */
    async adopt(provider: PaymentProvider, team: Team, events: readonly EventRow[]): Promise<void> {
      const row = await findSubscription(database.read, team.id)
      if (!row || isPaid(row)) return
      const ids = new Set(events.flatMap(({ subscription_id }) => subscription_id ?? []))
      for (const id of ids) {
        const found = await provider.getSubscription(id)
        if (found?.team !== team.id || found.status === 'canceled') continue
        const quantities = await quantitiesOf(provider, team, found)
        const change = { status: found.status, subscription_id: id, customer_id: found.customer.id, quantities }
        await database.transact(async (tx) => {
          const locked = await lockSubscription(tx, team.id, isPostgres)
          if (locked && !isPaid(locked)) await changeStatus(tx, team, locked, change)
        })
        return
      }
    },

    /**
     * Ends what a deleted team left at the provider: its checkouts, and subscriptions that were made by them. False while
     * a payment that has to be given back is under way.
     */
    async release(provider: PaymentProvider, row: SubscriptionRow): Promise<boolean> {
      for (const checkout of await listCheckouts(database.read, row.team_id)) {
        if (isOwed(checkout, clock.now())) await giveBack(provider, checkout, await provider.getCheckout(checkout.id))
        if (!isCheckoutOpen(checkout, clock.now())) continue
        const found = await provider.endCheckout(checkout.id)
        if (found?.subscription === undefined || found.subscription === row.subscription_id) continue
        const duplicate: CheckoutRow = { ...checkout, state: 'duplicate' }
        await database.transact((tx) => updateCheckout(tx, checkout.id, { state: 'duplicate' }))
        await giveBack(provider, duplicate, found)
      }
      if (row.subscription_id !== null && row.status !== 'canceled') {
        await provider.cancel(row.subscription_id, 'settle', `cancel-${row.subscription_id}`)
        await database.transact((tx) => updateSubscription(tx, row.team_id, { status: 'canceled' }))
      }
      const left = await listCheckouts(database.read, row.team_id)
      return !left.some((checkout) => isOwed(checkout, clock.now()))
    },

    /**
     * Takes over the status of the subscription; undefined where there is none. One that the provider does not know is a
     * difference for administrators, and ends nothing.
     */
    async subscription(provider: PaymentProvider, team: Team): Promise<ProviderSubscription | undefined> {
      const row = await findSubscription(database.read, team.id)
      if (!row || row.subscription_id === null) return undefined
      const found = await provider.getSubscription(row.subscription_id)
      await database.transact(async (tx) => {
        const locked = await lockSubscription(tx, team.id, isPostgres)
        if (!locked || locked.subscription_id !== row.subscription_id) return
        if (found) return changeStatus(tx, team, locked, { status: found.status })
        const difference = isPaid(locked) ? `The provider does not know the subscription ${row.subscription_id}` : null
        await updateSubscription(tx, team.id, { difference, difference_at: null })
      })
      return found
    },
  }
}
