import { afterAll, beforeEach, expect, test } from 'vitest'
import { compareNow, untilCompared } from '../../../testing/billing.ts'
import {
  openWorkshop,
  send,
  startStripe,
  testClock,
  type TestUser,
  type TestTeam,
  until,
} from '../../../testing/index.ts'

const stripe = await startStripe()
afterAll(() => stripe.close())
stripe.products.set('price_standard', { product: 'prod_standard', cents: 1000 })
const clock = testClock()
const { server, admin, owner, team, create, inState, act } = await openWorkshop({
  clock,
  config: { billing: { ...stripe.config, freeCredit: 1500 } },
})
const { build, app, address } = server

let typeId: string
async function priced(): Promise<string> {
  const { projectType } = await build.choice()
  const properties = {
    billingProductId: 'prod_standard',
    billingPriceId: 'price_standard',
    billingDescription: '$10/month',
  }
  await admin.client.call('instanceType.update', { params: { instanceTypeId: projectType }, body: { properties } })
  return projectType
}
beforeEach(async () => {
  typeId ??= await priced()
})

const at = (teamId: string) => ({ params: { teamId } })
const look = (teamId = team.id) => compareNow(app, teamId)
const settled = (teamId: string) => untilCompared(app, teamId)
async function deliver({ body, signature }: { body: string; signature: string }, teamId = team.id) {
  const answer = await send(address, 'POST', '/ee/billing/callback', {
    body,
    headers: { 'stripe-signature': signature },
  })
  await settled(teamId)
  return answer.status
}
const sessionIn = (url: string) => url.split('/').at(-1)!
const checkout = async (by: TestUser = owner, of: TestTeam = team) =>
  sessionIn((await by.client.call('billing.checkout', at(of.id))).billingURL)
const billing = async (by: TestUser = owner, of: TestTeam = team) =>
  (await by.client.call('team.get', at(of.id))).billing
const subscriptionOf = (teamId: string) =>
  [...stripe.subscriptions.values()].findLast(({ metadata }) => metadata.team === teamId)!
/** A team that pays. */
async function paying(name: string) {
  const person = await build.user()
  const made = await build.team(person, name)
  await deliver(stripe.complete(await checkout(person, made)), made.id)
  await look(made.id)
  return { person, made, subscription: subscriptionOf(made.id) }
}
const events = async () =>
  (await owner.client.call('team.auditLog', { ...at(team.id), query: { query: 'billing' } })).log.map(
    ({ event }) => event,
  )
const quantities = (of: { items: { product: string; quantity: number }[] }) =>
  Object.fromEntries(of.items.map(({ product, quantity }) => [product, quantity]))

test('[API-30] a new team leads to the provider, and may start nothing before', async () => {
  await build.setting('team:create', true)
  const made = await owner.client.call('team.create', { body: { name: 'Mill', type: await build.teamType() } })
  expect(made.billingURL).toMatch(/^https:\/\/checkout\.stripe\.example\/cs_/)
  expect(made.billing).toEqual({ active: false, canceled: false, pastDue: false })
  const { id } = await build.application(owner, made)
  await expect(build.instance(owner, { id })).rejects.toMatchObject({ status: 402, code: 'billing_required' })
})

test('[API-125] a team without a subscription is told not_found', async () => {
  await expect(owner.client.call('billing.get', at(team.id))).rejects.toMatchObject({ status: 404, code: 'not_found' })
})

test('[API-124] [BILL-25] [ACCT-48] [AUDIT-18] a completed checkout makes the subscription, with the credit, once', async () => {
  expect(await owner.client.call('account.get')).toMatchObject({ free_trial_available: true })
  const session = await checkout()
  expect(await checkout()).toBe(session)
  expect(stripe.sessions.get(session)?.items).toEqual([expect.objectContaining({ price: 'price_team', quantity: 1 })])
  const message = stripe.complete(session)
  expect(await deliver(message)).toBe(200)
  expect(await deliver(message)).toBe(200)
  expect(await billing()).toEqual({ active: true, canceled: false, pastDue: false })
  const { customer } = subscriptionOf(team.id)
  expect(stripe.balances.get(customer)).toBe(-1500)
  expect((await events()).toReversed()).toEqual([
    'billing.session.created',
    'billing.session.completed',
    'billing.subscription.updated',
    'billing.subscription.credit-applied',
  ])
  expect(await owner.client.call('account.get')).toMatchObject({ free_trial_available: false })
  await expect(checkout()).rejects.toMatchObject({ code: 'invalid_state' })
})

test('[BILL-20] [API-125] [ATEAM-15] the subscription has items, the balance in cents and the next payment in seconds', async () => {
  expect(await owner.client.call('billing.get', at(team.id))).toEqual({
    next_billing_date: 1_900_000_000,
    ends_at: null,
    items: [{ name: 'prod_team', price: 0, quantity: 1 }],
    customer: { name: 'Example Bakery', balance: -1500 },
  })
  const { teams } = await owner.client.call('team.mine')
  expect(teams.find(({ id }) => id === team.id)?.billing).toMatchObject({ active: true })
})

test('[API-126] the customer portal is a redirect to the provider', async () => {
  const path = `/ee/billing/teams/${team.id}/customer-portal`
  const answer = await send(address, 'GET', path, { headers: { cookie: owner.cookie } })
  expect([answer.status, answer.headers.get('location')]).toEqual([302, 'https://billing.stripe.example/p'])
})

test('quantities follow instances that start, sleep, are suspended and deleted; each change is sent once', async () => {
  const subscription = subscriptionOf(team.id)
  const [one, two] = [await create(), await create()]
  for (const { id } of [one, two]) await inState(id, 'running')
  await look()
  expect(quantities(subscription)).toMatchObject({ prod_standard: 2 })
  await look()
  await act('suspend', one.id)
  await inState(one.id, 'suspended')
  await look()
  expect(quantities(subscription)).toMatchObject({ prod_standard: 1 })
  await owner.client.call('instance.delete', { params: { instanceId: two.id } })
  await look()
  expect(quantities(subscription)).not.toHaveProperty('prod_standard')
  const changes = stripe.calls.filter(({ method, path }) => method !== 'GET' && path.includes('subscription_items'))
  expect(changes.map(({ method }) => method)).toEqual(['POST', 'POST', 'DELETE'])
  expect(new Set(changes.map(({ key }) => key)).size).toBe(3)
})

test('a provider that is away stops nobody, and a change whose answer was lost is not done twice', async () => {
  const { person, made, subscription } = await paying('Dairy')
  const { id: applicationId } = await build.application(person, made)
  stripe.fail(500, 99)
  const instance = await build.runningInstance(person, { id: applicationId })
  await look(made.id)
  expect((await person.client.call('instance.get', { params: { instanceId: instance.id } })).meta.state).toBe('running')
  await expect(person.client.call('billing.get', at(made.id))).rejects.toMatchObject({ code: 'billing_unavailable' })
  const [check] = (await admin.client.call('health.get')).checks.filter(({ part }) => part === 'Billing')
  expect(check).toMatchObject({ code: 'BILLING02', seen: expect.stringContaining('dairy') as string })
  // Stripe adds the item, and its answer is lost.
  stripe.fail(500, 1, { after: 'POST' })
  clock.turn(3_600_000)
  const before = stripe.calls.length
  await look(made.id)
  expect(quantities(subscription)).toMatchObject({ prod_standard: 1 })
  const added = stripe.calls.slice(before).filter(({ method }) => method === 'POST')
  expect(added.map(({ key }) => key)).toEqual([added[0]?.key, added[0]?.key])
})

// Stripe keeps an answer under its key, also one that is an error, except when it is busy (409 and 429).
test.each([
  ['while it is busy, under the same key', 429, 1],
  ['after a refusal, under another key', 503, 2],
])('a change that Stripe did not make is sent again: %s', async (_when, status, keys) => {
  const { person, made, subscription } = await paying(`Creamery ${status}`)
  await build.runningInstance(person, await build.application(person, made))
  const before = stripe.calls.length
  stripe.fail(status, 99, { only: 'POST' })
  await look(made.id)
  expect(quantities(subscription).prod_standard).toBeUndefined()
  stripe.fail(status, 0)
  clock.turn(3_600_000)
  await look(made.id)
  expect(quantities(subscription)).toMatchObject({ prod_standard: 1 })
  const sent = stripe.calls.slice(before).filter(({ path }) => path === '/v1/subscription_items')
  const posts = sent.filter(({ method }) => method === 'POST')
  expect(posts.length).toBeGreaterThan(1)
  expect(new Set(posts.map(({ key }) => key)).size).toBe(keys)
})

test('a quantity that somebody changed at the provider is repaired; items of other products are left alone', async () => {
  const { made, subscription, person } = await paying('Brewery')
  await build.runningInstance(person, await build.application(person, made))
  await look(made.id)
  subscription.items.find(({ product }) => product === 'prod_standard')!.quantity = 7
  subscription.items.push({
    id: 'si_support',
    price: 'price_support',
    product: 'prod_support',
    cents: 5000,
    quantity: 1,
  })
  clock.turn(2 * 3_600_000)
  await look(made.id)
  expect(quantities(subscription)).toMatchObject({ prod_standard: 1, prod_support: 1 })
})

test('[BILL-25] messages that come late, twice and in the wrong order leave the state that the provider has', async () => {
  const { person, made, subscription } = await paying('Orchard')
  const late = stripe.change(subscription.id, 'past_due')
  const paid = stripe.change(subscription.id, 'active')
  for (const message of [paid, late, late]) expect(await deliver(message, made.id)).toBe(200)
  expect(await billing(person, made)).toMatchObject({ active: true, pastDue: false })
  await deliver(stripe.change(subscription.id, 'past_due'), made.id)
  expect(await billing(person, made)).toMatchObject({ active: true, pastDue: true })
})

test('[BILL-25] a message without a signature, with a wrong or an old one is refused; one about nobody is passed over', async () => {
  const about = { id: 'sub_none', object: 'subscription', customer: 'cus_none', metadata: { team: 'nobody' } }
  const { body, signature } = stripe.message('customer.subscription.updated', about)
  const post = async (headers: Record<string, string>) =>
    (await send(address, 'POST', '/ee/billing/callback', { body, headers })).status
  expect(await post({})).toBe(400)
  expect(await post({ 'stripe-signature': signature.replace(/.$/, (sign) => (sign === '0' ? '1' : '0')) })).toBe(400)
  const old = stripe.message('customer.subscription.updated', about, { at: Math.floor(Date.now() / 1000) - 600 })
  const refused = { body: old.body, headers: { 'stripe-signature': old.signature } }
  expect((await send(address, 'POST', '/ee/billing/callback', refused)).status).toBe(400)
  const answer = await send(address, 'POST', '/ee/billing/callback', {
    body,
    headers: { 'stripe-signature': signature },
  })
  expect([answer.status, answer.text]).toEqual([200, ''])
})

test('[BILL-25] a cancelled subscription suspends the instances; they start again once it is renewed', async () => {
  const { person, made, subscription } = await paying('Smithy')
  const { id } = await build.runningInstance(person, await build.application(person, made))
  const state = async () => (await person.client.call('instance.get', { params: { instanceId: id } })).meta.state
  await deliver(stripe.change(subscription.id, 'canceled'), made.id)
  expect(await billing(person, made)).toMatchObject({ active: false, canceled: true })
  await look(made.id)
  await until(state, (now) => now === 'suspended')
  await expect(person.client.call('instance.start', { params: { instanceId: id } })).rejects.toMatchObject({
    status: 402,
  })
  const { log: all } = await person.client.call('team.auditLog', { ...at(made.id), query: {} })
  expect(all.map(({ event }) => event)).toContain('billing.subscription.deleted')
  await deliver(stripe.complete(await checkout(person, made)), made.id)
  await look(made.id)
  await until(state, (now) => now === 'running')
  await look(made.id)
  expect(quantities(subscriptionOf(made.id))).toMatchObject({ prod_standard: 1 })
})

test('two completed checkouts of one team leave one subscription', async () => {
  const person = await build.user()
  const made = await build.team(person, 'Twice')
  const first = await checkout(person, made)
  const colleague = await build.member(made, 50)
  const second = await checkout(colleague, made)
  expect(second).not.toBe(first)
  await deliver(stripe.complete(first), made.id)
  await deliver(stripe.complete(second), made.id)
  const all = [...stripe.subscriptions.values()].filter(({ metadata }) => metadata.team === made.id)
  expect(all.map(({ status }) => status)).toEqual(['active', 'canceled'])
})

test('a deleted team is charged no more, and devices beyond the free ones are', async () => {
  const { person, made, subscription } = await paying('Quarry')
  await app.database.read
    .updateTable('team_types')
    .set({ properties: JSON.stringify({ deviceFreeAllocation: 1, billing: { deviceCost: 250 } }) })
    .execute()
  for (const name of ['one', 'two', 'three'])
    await person.client.call('device.create', { body: { name, type: '', team: made.id } })
  await look(made.id)
  expect(subscription.items.find(({ product }) => product === 'prod_device')).toMatchObject({ quantity: 2, cents: 250 })
  await app.database.read.updateTable('team_types').set({ properties: '{}' }).execute()
  await person.client.call('team.delete', at(made.id))
  clock.turn(3_600_000)
  await look(made.id)
  expect(subscription.status).toBe('canceled')
})

test('without a webhook secret every message is refused', async () => {
  const { webhookSecret: _secret, ...without } = stripe.config
  const { createStripe } = await import('./providers/stripe.provider.ts')
  const { body, signature } = stripe.message('charge.failed', { id: 'ch_1', object: 'charge' })
  await expect(createStripe(without).verifyWebhook(Buffer.from(body), signature)).rejects.toThrow('No webhook secret')
})

test('the Health page names what runs and is not charged, for want of a price', async () => {
  const { person, made } = await paying('Tannery')
  await build.runningInstance(person, await build.application(person, made))
  const health = async () => (await admin.client.call('health.check')).checks.find(({ part }) => part === 'Billing')
  expect(await health()).not.toMatchObject({ code: 'BILLING05' })
  await app.database.read.updateTable('instance_types').set({ properties: '{}' }).where('id', '=', typeId).execute()
  expect(await health()).toMatchObject({ code: 'BILLING05', seen: 'Without a price: Standard.' })
})
