import { expect, test } from 'vitest'
import { openBilling } from '../../../testing/billing.ts'
import { send, type TestTeam, type TestUser } from '../../../testing/index.ts'

// Nothing is free by accident: what a team may not have without a subscription.
const { stripe, clock, server, admin, at, deliver, look, checkout, subscriptionsOf, unpaying } = await openBilling()
const { build, app, address } = server
const refused = { status: 402, code: 'billing_required' }

test('a team that does not pay adds no device that costs something, by people or by itself, and keeps those it has', async () => {
  const { person, made } = await unpaying('Distillery')
  const price = async (properties: object) =>
    app.database.read
      .updateTable('team_types')
      .set({ properties: JSON.stringify(properties) })
      .execute()
  const add = async (name: string) => person.client.call('device.create', { body: { name, type: '', team: made.id } })
  const { token } = await person.client.call('provisioning.create', { ...at(made.id), body: { name: 'Line' } })
  const register = async () => {
    const body = { name: 'Itself', type: '', team: made.id }
    const headers = { authorization: `Bearer ${token}` }
    const { status, json } = await send(address, 'POST', '/api/v1/devices', { headers, body })
    return { status, code: json.code }
  }
  await price({ deviceFreeAllocation: 1, billing: { deviceCost: 250 } })
  const { id } = await add('the free one')
  await expect(add('two')).rejects.toMatchObject(refused)
  expect(await register()).toEqual(refused)
  await deliver(stripe.complete(await checkout(person, made)), made.id)
  await add('two')
  expect(await register()).toMatchObject({ status: 200 })
  await look(made.id)
  expect(subscriptionsOf(made.id)[0]!.items).toContainEqual(
    expect.objectContaining({ product: 'prod_device', quantity: 2 }),
  )
  await deliver(stripe.change(subscriptionsOf(made.id)[0]!.id, 'canceled'), made.id)
  await look(made.id)
  await expect(add('three')).rejects.toMatchObject(refused)
  const { devices } = await person.client.call('device.listOfTeam', { ...at(made.id), query: {} })
  expect(devices).toHaveLength(3)
  expect(devices.map((device) => device.id)).toContain(id)
  await price({})
  await add('three')
})

/** A trial that includes one instance of this type. */
async function onTrial(person: TestUser, made: TestTeam, typeId: string) {
  await checkout(person, made)
  const trial = { status: 'trial', trial_ends_at: clock.now() + 86_400_000, trial_type_id: typeId, trial_length: 1 }
  await app.database.read.updateTable('subscriptions').set(trial).where('team_id', '=', made.id).execute()
}

test('the instance of a trial gets no other type before its team pays', async () => {
  const { person, made } = await unpaying('Foundry')
  const { projectType, stack } = await build.choice()
  await onTrial(person, made, projectType)
  const { id } = await build.runningInstance(person, await build.application(person, made))
  const large = await admin.client.call('instanceType.create', { body: { name: 'Large', description: '', order: 2 } })
  const change = async () =>
    person.client.call('instance.update', { params: { instanceId: id }, body: { projectType: large.id, stack } })
  await expect(change()).rejects.toMatchObject(refused)
  await deliver(stripe.complete(await checkout(person, made)), made.id)
  // The new type has no stack yet, which is what is judged next.
  await expect(change()).rejects.toMatchObject({ code: 'invalid_stack' })
})
