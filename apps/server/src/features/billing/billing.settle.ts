import { systemActor } from '../../platform/authz/actor.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Tx } from '../../platform/db/tables.ts'
import type { Bus } from '../../platform/events/bus.ts'
import { type Audit, changes, teamScope } from '../audit/index.ts'
import { teamRef } from '../teams/index.ts'
import { isPaid } from './billing.state.ts'
import { findSubscription, lockSubscription, type SubscriptionRow, updateSubscription } from './billing.store.ts'
import { type CheckoutRow, dropChanges, type EventRow, listCheckouts, updateCheckout } from './exchange.store.ts'
import type { PaymentProvider, ProviderSubscription } from './providers/provider.ts'

export interface SettleDependencies {
  database: Database
  bus: Bus
  clock: Clock
  audit: Audit
}

type Team = Parameters<typeof teamRef>[0]

/** Checkouts that ended longer ago are not asked for. */
const checkoutMs = 48 * 3_600_000

/** Takes over what a provider says of the checkouts and the subscription of a team. */
export function createSettling({ database, bus, clock, audit }: SettleDependencies) {
  const isPostgres = database.kind === 'postgres'

  async function changeStatus(tx: Tx, team: Team, row: SubscriptionRow, change: Partial<SubscriptionRow>) {
    const after = { ...row, ...change }
    await updateSubscription(tx, team.id, { ...change, updated_at: clock.now() })
    const body = { team: teamRef(team), subscription: { subscription: after.subscription_id ?? '' } }
    if (after.status === row.status) return
    const scope = teamScope(team.id)
    if (after.status === 'canceled') {
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
    const row = await findSubscription(database.read, team.id)
    const isOther = row && isPaid(row) && row.subscription_id !== null && row.subscription_id !== id
    // Two checkouts were completed: nobody pays twice.
    if (isOther) await provider.cancel(id, `cancel-${id}`)
    await database.transact(async (tx) => {
      const locked = await lockSubscription(tx, team.id, isPostgres)
      if (!locked) return
      await updateCheckout(tx, checkout.id, { state: isOther ? 'duplicate' : 'complete' })
      const body = { team: teamRef(team), billingSession: { id: checkout.id } }
      await audit.record(tx, systemActor, 'billing.session.completed', teamScope(team.id), body)
      if (isOther) return
      await changeStatus(tx, team, locked, {
        status: found.status,
        subscription_id: id,
        customer_id: customer ?? found.customer.id,
        quantities: '{}',
        // A trial that still runs keeps its instance free; one that has ended is over.
        ...(Number(locked.trial_ends_at ?? 0) > clock.now() ? {} : { trial_ends_at: null }),
      })
    })
    if (!isOther) await giveCredit(provider, team, checkout, found)
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
    /** Looks at the checkouts that are open, or that messages are about. */
    async checkouts(provider: PaymentProvider, team: Team, events: readonly EventRow[]): Promise<void> {
      const told = new Set(events.map(({ checkout_id }) => checkout_id))
      const isDue = ({ id, state, created_at, credit, credit_given }: CheckoutRow) =>
        (state === 'open' && (told.has(id) || Number(created_at) > clock.now() - checkoutMs)) ||
        (state === 'complete' && credit > 0 && credit_given === 0)
      const due = (await listCheckouts(database.read, team.id)).filter(isDue).toReversed()
      for (const checkout of due) {
        const found = await provider.getCheckout(checkout.id)
        if (checkout.state === 'complete') {
          const subscription = await provider.getSubscription(found?.subscription ?? '')
          if (subscription) await giveCredit(provider, team, checkout, subscription)
        } else if (found?.state === 'complete' && found.subscription !== undefined) {
          await complete(provider, team, checkout, { ...found, subscription: found.subscription })
        } else if (found?.state === 'expired') {
          await database.transact((tx) => updateCheckout(tx, checkout.id, { state: 'expired' }))
        }
      }
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
        await updateSubscription(tx, team.id, { difference })
      })
      return found
    },
  }
}
