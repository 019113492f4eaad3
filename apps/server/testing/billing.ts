import { afterAll, expect } from 'vitest'
import type { App } from '../src/app.ts'
import type { TestTeam, TestUser } from './build.ts'
import { until } from './build.ts'
import { send, testClock } from './request.ts'
import { startStripe } from './stripe.ts'
import { openWorkshop } from './workshop.ts'

/** Waits until no job compares the subscription of a team. */
export const untilCompared = ({ database }: Pick<App, 'database'>, teamId: string) =>
  until(
    () => database.read.selectFrom('jobs').select('id').where('subject', '=', `billing-${teamId}`).execute(),
    (jobs) => jobs.length === 0,
  )

/** Has billing look at everything as it is now, and waits until the subscription of a team is compared. */
export async function compareNow(app: Pick<App, 'database' | 'services'>, teamId: string): Promise<void> {
  // The first call may wait for a look of the server's own that began earlier, and has seen less.
  await app.services.billingWatch.check()
  await app.services.billingWatch.check()
  await untilCompared(app, teamId)
}

/** A platform whose teams pay through the stand-in of Stripe, and what tests of billing do over and over. */
export async function openBilling() {
  const stripe = await startStripe()
  afterAll(() => stripe.close())
  stripe.products.set('price_standard', { product: 'prod_standard', cents: 1000 })
  const clock = testClock()
  const { server, admin } = await openWorkshop({ clock, config: { billing: { ...stripe.config, freeCredit: 1500 } } })
  const { build, app, address } = server
  const { projectType: typeId } = await build.choice()
  /** Sets the product, the price and the price text of the only instance type. */
  const setPrice = async (price: object) => {
    const set = { billingProductId: 'prod_standard', billingPriceId: 'price_standard', ...price }
    const properties = JSON.stringify({ billingDescription: '$10/month', ...set })
    await app.database.read.updateTable('instance_types').set({ properties }).where('id', '=', typeId).execute()
  }
  await setPrice({})

  const at = (teamId: string) => ({ params: { teamId } })
  const settled = (teamId: string) => untilCompared(app, teamId)
  const checkout = async (by: TestUser, of: TestTeam) =>
    (await by.client.call('billing.checkout', at(of.id))).billingURL.split('/').at(-1)!
  const subscriptionsOf = (teamId: string) =>
    [...stripe.subscriptions.values()].filter(({ metadata }) => metadata.team === teamId)

  const look = (teamId: string) => compareNow(app, teamId)
  /** Brings a message of Stripe, and waits for what follows from it. */
  async function deliver({ body, signature }: { body: string; signature: string }, teamId: string): Promise<void> {
    const headers = { 'stripe-signature': signature }
    const { status } = await send(address, 'POST', '/ee/billing/callback', { body, headers })
    expect(status).toBe(200)
    await settled(teamId)
  }
  async function unpaying(name: string) {
    const person = await build.user()
    return { person, made: await build.team(person, name) }
  }
  /** A team that pays, with its owner. */
  async function paying(name: string) {
    const { person, made } = await unpaying(name)
    await deliver(stripe.complete(await checkout(person, made)), made.id)
    await look(made.id)
    return { person, made, subscription: subscriptionsOf(made.id)[0]! }
  }
  return {
    stripe,
    clock,
    server,
    admin,
    at,
    settled,
    look,
    deliver,
    setPrice,
    checkout,
    subscriptionsOf,
    unpaying,
    paying,
    billing: async (by: TestUser, of: TestTeam) => (await by.client.call('team.get', at(of.id))).billing,
    health: async () => (await admin.client.call('health.check')).checks.find(({ part }) => part === 'Billing'),
  }
}
