import { afterEach, expect, test } from 'vitest'
import { openBilling } from '../../../testing/billing.ts'

// The prices that people are shown are those that Stripe charges.
const { stripe, clock, server, at, look, setPrice, health, paying } = await openBilling()
const hour = 3_600_000
const { app } = server

afterEach(async () => setPrice({}))

test.each([
  [
    'another amount',
    { billingDescription: '$12.50/month' },
    '“$12.50/month” is shown, and 10.00 USD each month is charged',
  ],
  ['another interval', { billingDescription: '$10/year' }, '“$10/year” is shown, and 10.00 USD each month is charged'],
  [
    'a price of another product',
    { billingProductId: 'prod_big' },
    'belongs to the product prod_standard, and prod_big is set',
  ],
  ['an unknown price', { billingPriceId: 'price_none' }, 'the payment provider does not know the price price_none'],
])('Health names an instance type with %s', async (_what, price, seen) => {
  await setPrice(price)
  const found = { code: 'BILLING06', seen: expect.stringMatching(/^Instance type /) as string }
  const { seen: text } = (await health()) ?? {}
  expect(await health()).toMatchObject(found)
  expect(text).toContain(seen)
})

test('prices that are shown as they are charged, or as words, are no difference; an archived one is', async () => {
  await setPrice({ billingDescription: '$1,000.00 / month' })
  stripe.products.set('price_standard', { product: 'prod_standard', cents: 100_000 })
  expect((await health())?.code).not.toBe('BILLING06')
  stripe.products.set('price_standard', { product: 'prod_standard', cents: 1000 })
  await setPrice({ billingDescription: 'As agreed' })
  expect((await health())?.code).not.toBe('BILLING06')
  stripe.inactive.add('price_standard')
  expect(await health()).toMatchObject({ code: 'BILLING06' })
  stripe.inactive.delete('price_standard')
})

test('the price of the team itself is compared with that of its type', async () => {
  const set = async (properties: object) =>
    app.database.read
      .updateTable('team_types')
      .set({ properties: JSON.stringify(properties) })
      .execute()
  await set({ billingDescription: '$30/month' })
  const charged = '“$30/month” is shown, and 0.00 USD each month is charged'
  expect((await health())?.seen).toContain(charged)
  stripe.products.set('price_team', { product: 'prod_team', cents: 3000 })
  expect((await health())?.code).not.toBe('BILLING06')
  await set({})
})

test('Health says that prices were not compared while Stripe is away', async () => {
  stripe.fail(500, 20)
  const seen = expect.stringContaining('Prices were not compared') as string
  expect(await health()).toMatchObject({ code: 'BILLING02', seen })
  stripe.fail(500, 0)
})

test('the price of the team in a product whose quantity follows is no difference', async () => {
  stripe.products.set('price_team', { product: 'prod_standard', cents: 0 })
  const { person, made, subscription } = await paying('Shared')
  await server.build.runningInstance(person, await server.build.application(person, made))
  await look(made.id)
  const items = () => subscription.items.map(({ price, quantity }) => [price, quantity])
  const both = [
    ['price_team', 1],
    ['price_standard', 1],
  ]
  expect(items()).toEqual(both)
  const calls = stripe.calls.length
  clock.turn(2 * hour)
  await look(made.id)
  expect(items()).toEqual(both)
  expect(stripe.calls.slice(calls).filter(({ method }) => method !== 'GET')).toEqual([])
  const { log } = await person.client.call('team.auditLog', { ...at(made.id), query: { query: 'corrected' } })
  expect(log).toEqual([])
  stripe.products.set('price_team', { product: 'prod_team', cents: 0 })
})
