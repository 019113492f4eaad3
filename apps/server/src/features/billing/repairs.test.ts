import { expect, test } from 'vitest'
import { openBilling } from '../../../testing/billing.ts'
import { send, until } from '../../../testing/index.ts'

// Stripe, the platform and people do things at the same time, late, or twice.
const { stripe, clock, server, at, look, deliver, checkout, billing, subscriptionsOf, health, unpaying, paying } =
  await openBilling()
const { build, app, address } = server

test('the payment of a second checkout is given back, and a checkout that is still open is ended', async () => {
  const { person, made } = await unpaying('Twice')
  const [second, third] = [await build.member(made, 50), await build.member(made, 50)]
  const sessions = [await checkout(person, made), await checkout(second, made), await checkout(third, made)]
  await deliver(stripe.complete(sessions[0]!), made.id)
  const late = stripe.complete(sessions[1]!)
  await deliver(late, made.id)
  expect(subscriptionsOf(made.id).map(({ status }) => status)).toEqual(['active', 'canceled'])
  expect(stripe.refunds).toEqual([`pi_of_${subscriptionsOf(made.id)[1]!.id}`])
  clock.turn(120_000)
  await look(made.id)
  expect(stripe.sessions.get(sessions[2]!)?.status).toBe('expired')
})

test('a renewal counts although Stripe told nothing of the end of the former subscription', async () => {
  const { person, made, subscription } = await paying('Forge')
  const colleague = await build.member(made, 50)
  subscription.status = 'canceled'
  await deliver(stripe.complete(await checkout(colleague, made)), made.id)
  expect(subscriptionsOf(made.id).map(({ status }) => status)).toEqual(['canceled', 'active'])
  expect(await billing(person, made)).toMatchObject({ active: true, canceled: false })
})

test('a team whose subscription Stripe does not know can set up another one', async () => {
  const { person, made, subscription } = await paying('Lost')
  stripe.subscriptions.delete(subscription.id)
  clock.turn(3_600_000)
  await look(made.id)
  expect(await billing(person, made)).toMatchObject({ active: true })
  await expect(person.client.call('billing.get', at(made.id))).rejects.toMatchObject({ code: 'not_found' })
  const session = await checkout(person, made)
  await look(made.id)
  expect(stripe.sessions.get(session)?.status).toBe('open')
  await deliver(stripe.complete(session), made.id)
  await look(made.id)
  expect(await person.client.call('billing.get', at(made.id))).toMatchObject({ ends_at: null })
})

test('a checkout that is completed after its team was deleted takes no money', async () => {
  const { person, made } = await unpaying('Gone')
  const [open, raced] = [await checkout(person, made), await checkout(await build.member(made, 50), made)]
  await person.client.call('team.delete', at(made.id))
  stripe.complete(raced)
  await look(made.id)
  expect(stripe.sessions.get(open)?.status).toBe('expired')
  const [subscription] = subscriptionsOf(made.id)
  expect(subscription?.status).toBe('canceled')
  expect(stripe.refunds).toContain(`pi_of_${subscription!.id}`)
})

test('the subscription of a deleted team ends at the next look, and its last days are settled', async () => {
  const { person, made, subscription } = await paying('Quarry')
  await person.client.call('team.delete', at(made.id))
  await look(made.id)
  expect(subscription.status).toBe('canceled')
  expect(stripe.calls.findLast(({ method }) => method === 'DELETE')?.form).toMatchObject({
    invoice_now: 'true',
    prorate: 'true',
  })
})

test('a payment counts that the platform knows of by the message alone, as after a backup was restored', async () => {
  for (const forget of ['billing_checkouts', 'subscriptions'] as const) {
    const { person, made } = await unpaying(`Restored ${forget}`)
    const session = await checkout(person, made)
    await app.database.read.deleteFrom(forget).where('team_id', '=', made.id).execute()
    await deliver(stripe.complete(session), made.id)
    expect(await billing(person, made)).toMatchObject({ active: true })
  }
  const { person, made, subscription } = await paying('Restored before')
  const none = { status: 'none', subscription_id: null }
  await app.database.read.updateTable('subscriptions').set(none).where('team_id', '=', made.id).execute()
  await deliver(stripe.change(subscription.id, 'active'), made.id)
  expect(await billing(person, made)).toMatchObject({ active: true })
})

test('a checkout can be tried again after Stripe refused it, and after the customer was deleted there', async () => {
  const { person, made, subscription } = await paying('Mill')
  await deliver(stripe.change(subscription.id, 'canceled'), made.id)
  stripe.fail(500, 3)
  await expect(checkout(person, made)).rejects.toMatchObject({ code: 'billing_unavailable' })
  stripe.deletedCustomers.add(subscription.customer)
  const session = await checkout(person, made)
  expect(stripe.sessions.get(session)?.customer).not.toBe(subscription.customer)
})

test('two checkouts whose first answers were lost are no errors when the team has changed between them', async () => {
  const { person, made } = await unpaying('Renamed')
  stripe.fail(500, 3, { after: 'POST' })
  await expect(checkout(person, made)).rejects.toMatchObject({ code: 'billing_unavailable' })
  await person.client.call('team.update', { ...at(made.id), body: { name: 'Renamed Again' } })
  expect(stripe.sessions.get(await checkout(person, made))?.status).toBe('open')
})

test('a quantity that Stripe refused is sent anew once it can be done', async () => {
  const { person, made, subscription } = await paying('Brewery')
  stripe.inactive.add('price_standard')
  await build.runningInstance(person, await build.application(person, made))
  await look(made.id)
  expect(await health()).toMatchObject({ code: 'BILLING02', seen: expect.stringContaining('inactive') as string })
  stripe.inactive.delete('price_standard')
  clock.turn(3_600_000)
  await look(made.id)
  expect(subscription.items.find(({ product }) => product === 'prod_standard')).toMatchObject({ quantity: 1 })
})

test('one person gets the free credit once, however many checkouts were begun before', async () => {
  const person = await build.user()
  const teams = [await build.team(person, 'One'), await build.team(person, 'Two')]
  const sessions: string[] = []
  for (const made of teams) sessions.push(await checkout(person, made))
  for (const [index, made] of teams.entries()) await deliver(stripe.complete(sessions[index]!), made.id)
  const given = teams.map(({ id }) => stripe.balances.get(subscriptionsOf(id)[0]!.customer) ?? 0)
  expect(given).toEqual([-1500, 0])
})

test('a price that changed reaches the subscription, and an item that is there twice becomes one', async () => {
  const { person, made, subscription } = await paying('Dairy')
  const price = async (deviceCost: number) =>
    app.database.read
      .updateTable('team_types')
      .set({ properties: JSON.stringify({ billing: { deviceCost } }) })
      .execute()
  await price(250)
  await person.client.call('device.create', { body: { name: 'one', type: '', team: made.id } })
  await look(made.id)
  await price(300)
  clock.turn(3_600_000)
  await look(made.id)
  const devices = () => subscription.items.filter(({ product }) => product === 'prod_device')
  expect(devices()).toMatchObject([{ quantity: 1, cents: 300 }])
  subscription.items.push({ ...devices()[0]!, id: 'si_again', price: 'price_again' })
  clock.turn(3_600_000)
  await look(made.id)
  expect(devices()).toMatchObject([{ quantity: 1, cents: 300 }])
  await app.database.read.updateTable('team_types').set({ properties: '{}' }).execute()
})

test('a subscription that was cancelled for later has an end and no next payment', async () => {
  const { person, made, subscription } = await paying('Bakery')
  subscription.cancel_at = 1_900_000_000
  expect(await person.client.call('billing.get', at(made.id))).toMatchObject({
    next_billing_date: null,
    ends_at: 1_900_000_000,
  })
})

test('the link to the customer portal leads back to Billing while Stripe is away', async () => {
  const { person, made } = await paying('Winery')
  stripe.fail(500, 3)
  const headers = { cookie: person.cookie, accept: 'text/html' }
  const answer = await send(address, 'GET', `/ee/billing/teams/${made.id}/customer-portal`, { headers })
  expect([answer.status, new URL(answer.headers.get('location')!).search]).toEqual([302, '?portal=unavailable'])
})

test('a quantity that was repaired stays on the Health page for a day, and in the audit log', async () => {
  const { person, made, subscription } = await paying('Vineyard')
  await build.runningInstance(person, await build.application(person, made))
  await look(made.id)
  subscription.items.find(({ product }) => product === 'prod_standard')!.quantity = 7
  clock.turn(2 * 3_600_000)
  await look(made.id)
  const repaired = {
    code: 'BILLING03',
    seen: expect.stringContaining('vineyard: prod_standard: 7 at the provider, 1 here') as string,
  }
  expect(await health()).toMatchObject(repaired)
  clock.turn(2 * 3_600_000)
  await look(made.id)
  expect(await health()).toMatchObject(repaired)
  const { log } = await person.client.call('team.auditLog', { ...at(made.id), query: { query: 'corrected' } })
  expect(log).toMatchObject([{ event: 'billing.subscription.corrected' }])
  clock.turn(86_400_000)
  await look(made.id)
  expect((await health())?.seen).not.toContain('vineyard')
})

test('an item that somebody added at Stripe, and a price that somebody changed there, are shown as well', async () => {
  const { person, made, subscription } = await paying('Meadery')
  const added = { id: 'si_added', price: 'price_standard', product: 'prod_standard', cents: 1000, quantity: 3 }
  subscription.items.push(added)
  clock.turn(3_600_000)
  await look(made.id)
  const standard = () => subscription.items.filter(({ product }) => product === 'prod_standard')
  expect(standard()).toEqual([])
  expect((await health())?.seen).toContain('meadery: prod_standard: 3 at the provider, 0 here, corrected')

  await build.runningInstance(person, await build.application(person, made))
  await look(made.id)
  Object.assign(standard()[0]!, { price: 'price_of_a_friend', cents: 1 })
  clock.turn(3_600_000)
  await look(made.id)
  expect(standard()).toMatchObject([{ price: 'price_standard', quantity: 1 }])
  const seen = 'meadery: Standard: price price_of_a_friend at the provider, price_standard here, corrected'
  expect((await health())?.seen).toContain(seen)
  const { log } = await person.client.call('team.auditLog', { ...at(made.id), query: { query: 'corrected' } })
  expect(log).toHaveLength(2)
})

test('what the team changed while somebody paid is no difference', async () => {
  const { person, made } = await unpaying('Cidery')
  const device = async (name: string) =>
    (await person.client.call('device.create', { body: { name, type: '', team: made.id } })).id
  const [one] = [await device('one'), await device('two')]
  const price = async (properties: object) =>
    app.database.read
      .updateTable('team_types')
      .set({ properties: JSON.stringify(properties) })
      .execute()
  await price({ billing: { deviceCost: 250 } })
  const session = await checkout(person, made)
  await person.client.call('device.delete', { params: { deviceId: one } })
  await deliver(stripe.complete(session), made.id)
  await look(made.id)
  const devices = subscriptionsOf(made.id)[0]!.items.filter(({ product }) => product === 'prod_device')
  expect([stripe.sessions.get(session)!.items.at(-1)!.quantity, devices[0]!.quantity]).toEqual([2, 1])
  expect((await health())?.seen).not.toContain('cidery')
  await price({})
})

test('a team that cancels during its trial has given up the trial', async () => {
  const { person, made, subscription } = await paying('Pottery')
  const trial = { trial_ends_at: clock.now() + 86_400_000, trial_type_id: 'none', trial_length: 86_400_000 }
  await app.database.read.updateTable('subscriptions').set(trial).where('team_id', '=', made.id).execute()
  await deliver(stripe.change(subscription.id, 'canceled'), made.id)
  expect(await billing(person, made)).toEqual({ active: false, canceled: true, pastDue: false })
})

test('an instance of a team that never set up payment wakes for its visitors', async () => {
  const { person, made } = await paying('Old')
  const { id } = await build.runningInstance(person, await build.application(person, made))
  await app.database.read.deleteFrom('subscriptions').where('team_id', '=', made.id).execute()
  const row = await app.database.read.selectFrom('instances').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  const state = async () => (await person.client.call('instance.get', { params: { instanceId: id } })).meta.state
  await app.services.instances.sleep(row)
  await until(state, (now) => now === 'suspended')
  await app.services.instances.wake(row)
  await until(state, (now) => now === 'running')
})
