import { expect, test } from 'vitest'
import { openBilling } from '../../../testing/billing.ts'

// Every overpayment is given back, also where payments take days.
const { stripe, clock, server, at, look, deliver, checkout, subscriptionsOf, unpaying } = await openBilling()
const day = 86_400_000
const { app } = server
const hour = 3_600_000

/** A team whose second checkout is paid by a bank, which takes its time. */
async function paidTwice(name: string) {
  const { person, made } = await unpaying(name)
  const second = await server.build.member(made, 50)
  const [first, other] = [await checkout(person, made), await checkout(second, made)]
  await deliver(stripe.complete(first), made.id)
  const late = stripe.complete(other)
  const duplicate = subscriptionsOf(made.id)[1]!
  stripe.slow.add(duplicate.id)
  await deliver(late, made.id)
  return { person, made, other, duplicate, payment: `pi_of_${duplicate.id}` }
}

test('the payment of a second checkout that is under way is given back as soon as it arrives', async () => {
  const { made, other, duplicate, payment } = await paidTwice('Slow')
  expect(duplicate.status).toBe('canceled')
  expect(stripe.refunds).not.toContain(payment)
  clock.turn(5 * day)
  await look(made.id)
  expect(stripe.refunds).not.toContain(payment)
  await deliver(stripe.arrive(other), made.id)
  expect(stripe.refunds.filter((one) => one === payment)).toEqual([payment])
  // Done: nothing asks for it again.
  const calls = stripe.calls.length
  clock.turn(2 * hour)
  await look(made.id)
  expect(stripe.calls.slice(calls).map(({ path }) => path)).not.toContain(`/v1/checkout/sessions/${other}`)
})

test('it is given back although no message tells of its arrival, within two weeks', async () => {
  const { made, other, duplicate, payment } = await paidTwice('Silent')
  stripe.slow.delete(duplicate.id)
  clock.turn(2 * hour)
  await look(made.id)
  expect(stripe.refunds).toContain(payment)
  const never = await paidTwice('Never')
  clock.turn(15 * day)
  const calls = stripe.calls.length
  await look(never.made.id)
  expect(stripe.calls.slice(calls).map(({ path }) => path)).not.toContain(`/v1/checkout/sessions/${never.other}`)
  expect(other).not.toBe(never.other)
})

test('where the payment fails its invoice cannot be paid later, and nothing is owed', async () => {
  const { made, other, duplicate, payment } = await paidTwice('Failed')
  expect(stripe.voided).not.toContain(duplicate.id)
  await deliver(stripe.bounce(other), made.id)
  expect(stripe.voided).toContain(duplicate.id)
  expect(stripe.refunds).not.toContain(payment)
  const calls = stripe.calls.length
  clock.turn(2 * hour)
  await look(made.id)
  expect(stripe.calls.slice(calls).map(({ path }) => path)).not.toContain(`/v1/checkout/sessions/${other}`)
})

test('a second checkout that the platform knows by its message alone is remembered too', async () => {
  const { person, made } = await unpaying('Restored')
  const [first, other] = [await checkout(person, made), await checkout(await server.build.member(made, 50), made)]
  await deliver(stripe.complete(first), made.id)
  await app.database.read.deleteFrom('billing_checkouts').where('id', '=', other).execute()
  const late = stripe.complete(other)
  const duplicate = subscriptionsOf(made.id)[1]!
  stripe.slow.add(duplicate.id)
  await deliver(late, made.id)
  stripe.slow.delete(duplicate.id)
  clock.turn(2 * hour)
  await look(made.id)
  expect(stripe.refunds).toContain(`pi_of_${duplicate.id}`)
})

test('a team that is deleted meanwhile is remembered until the payment was given back', async () => {
  const { person, made, duplicate, payment } = await paidTwice('Gone')
  await person.client.call('team.delete', at(made.id))
  await look(made.id)
  const kept = async () =>
    app.database.read.selectFrom('subscriptions').select('attempts').where('team_id', '=', made.id).execute()
  expect(await kept()).toHaveLength(1)
  // It is not asked about at each look.
  const calls = stripe.calls.length
  await look(made.id)
  expect(stripe.calls).toHaveLength(calls)
  stripe.slow.delete(duplicate.id)
  clock.turn(2 * hour)
  await look(made.id)
  expect(stripe.refunds).toContain(payment)
  expect(await kept()).toEqual([])
})

test('a team deleted before its checkout was completed by a bank gets the payment back too', async () => {
  const { person, made } = await unpaying('Raced')
  const session = await checkout(person, made)
  await person.client.call('team.delete', at(made.id))
  stripe.complete(session)
  const [subscription] = subscriptionsOf(made.id)
  stripe.slow.add(subscription!.id)
  await look(made.id)
  expect(subscription!.status).toBe('canceled')
  await deliver(stripe.arrive(session), made.id)
  expect(stripe.refunds).toContain(`pi_of_${subscription!.id}`)
})

test('a message is kept before anything follows from it, and acted on once', async () => {
  const { person, made } = await unpaying('Kept')
  const told = stripe.complete(await checkout(person, made))
  // The server ends after it has answered: Stripe is away for whatever comes next.
  stripe.fail(500, 20)
  await deliver(told, made.id)
  const row = () =>
    app.database.read.selectFrom('billing_events').select(['handled_at']).where('team_id', '=', made.id).execute()
  expect(await row()).toEqual([{ handled_at: null }])
  expect((await person.client.call('team.get', at(made.id))).billing).toMatchObject({ active: false })
  stripe.fail(500, 0)
  clock.turn(hour)
  await look(made.id)
  expect((await person.client.call('team.get', at(made.id))).billing).toMatchObject({ active: true })
  const handled = await row()
  expect(handled).toEqual([{ handled_at: expect.anything() as unknown }])
  clock.turn(60_000)
  await deliver(told, made.id)
  expect(await row()).toEqual(handled)
  expect(subscriptionsOf(made.id)).toHaveLength(1)
})
