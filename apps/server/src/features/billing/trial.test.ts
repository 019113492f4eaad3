import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { compareNow } from '../../../testing/billing.ts'
import { openPlatform, password, startMailServer, testClock, tokenIn, until } from '../../../testing/index.ts'
import { clientWith, send } from '../../../testing/index.ts'

const day = 86_400_000
const mails = await startMailServer()
afterAll(() => mails.close())
const clock = testClock()
const { server } = await openPlatform({
  clock,
  config: { mail: mails.mail, billing: { provider: 'test', freeCredit: 0 } },
})
const { build, app, address } = server

let admin: Awaited<ReturnType<typeof build.user>>
let type: string
let other: string
beforeAll(async () => {
  admin = await build.user({ admin: true })
  await build.teamType()
  type = (await build.choice()).projectType
  const properties = { billingDescription: '$10/month' }
  await admin.client.call('instanceType.update', { params: { instanceTypeId: type }, body: { properties } })
  other = (await admin.client.call('instanceType.create', { body: { name: 'Large', description: '', order: 2 } })).id
  await build.setting('user:signup', true)
})
beforeEach(async () => {
  // The sessions of the test before have ended, and so have the limits of its address.
  admin = await build.user({ admin: true })
  clock.turn(15 * 60_000)
  await admin.client.call('settings.update', {
    body: {
      'user:team:auto-create': true,
      'user:team:trial-mode': true,
      'user:team:trial-mode:duration': 14,
      'user:team:trial-mode:projectType': type,
    },
  })
})

let serial = 0
/** Somebody signs up and proves their address. */
async function signUp() {
  const username = `trial-${(serial += 1)}`
  const email = `${username}@example.com`
  await build.anonymous.call('account.register', { body: { username, name: username, email, password } })
  const parsed = await mails.to(email)
  const client = await signIn(username)
  await client.call('account.verifyToken', { params: { token: tokenIn(parsed) }, body: {} })
  const { teams } = await client.call('team.mine')
  return { username, client, email, team: teams[0] }
}
async function signIn(username: string) {
  const answer = await send(address, 'POST', '/account/login', { body: { username, password } })
  return clientWith(address, 'cookie', answer.headers.getSetCookie()[0]!.split(';')[0]!)
}
/** Days go by, after which sessions have ended. */
async function pass(person: Person, days: number) {
  clock.turn(days * day)
  person.client = await signIn(person.username)
}
type Person = Awaited<ReturnType<typeof signUp>>
const billing = async ({ client, team }: Person) =>
  (await client.call('team.get', { params: { teamId: team!.id } })).billing
async function instance({ client, team }: Person) {
  const application = await client.call('application.create', { body: { name: 'Line', teamId: team!.id } })
  const { stack, template } = await build.choice()
  const name = `trial-instance-${(serial += 1)}`
  return client.call('instance.create', {
    body: { name, applicationId: application.id, projectType: type, stack, template },
  })
}
/** The subjects of the mails about the trial, once there are as many. */
const subjects = async (email: string, count: number) =>
  until(
    async () =>
      mails.received.flatMap(({ to, parsed: { subject = '' } }) =>
        to.includes(email) && subject.includes('trial') ? [subject] : [],
      ),
    (all) => all.length >= count,
  )
const state = async ({ client }: Person, instanceId: string) =>
  (await client.call('instance.get', { params: { instanceId } })).meta.state
/** The events of a team about trials, oldest first. */
async function events({ client, team }: Person) {
  const { log } = await client.call('team.auditLog', { params: { teamId: team!.id }, query: { query: 'billing' } })
  return log.map(({ event }) => event).toReversed()
}
const look = ({ team }: Person) => compareNow(app, team!.id)
/** The owner completes the checkout of the test provider. */
async function pay(person: Person) {
  const { billingURL } = await person.client.call('billing.checkout', { params: { teamId: person.team!.id } })
  const { pathname, origin } = new URL(billingURL)
  const page = await send(address, 'GET', pathname)
  expect(page.text).toContain('Complete')
  expect(page.headers.get('referrer-policy')).toBe('same-origin')
  const action = `/ee/billing/test/${pathname.split('/').at(-1)}/complete`
  const answer = await send(address, 'POST', action, {
    // As a browser sends the form of the page.
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin },
  })
  await look(person)
  return answer
}

test('[ASET-06] the settings of the trial are saved and read back; an instance type that does not exist is refused', async () => {
  const body = { 'user:team:trial-mode:duration': 30, 'user:team:trial-mode:projectType': other }
  await admin.client.call('settings.update', { body })
  expect(await admin.client.call('settings.get')).toMatchObject({ ...body, 'user:team:trial-mode': true })
  await expect(
    admin.client.call('settings.update', { body: { 'user:team:trial-mode:projectType': 'none' } }),
  ).rejects.toMatchObject({ code: 'invalid_request' })
})

test('[ASET-20] [ATEAM-15] [BILL-24] a team made at sign-up begins with a trial, and its owner gets a mail', async () => {
  const person = await signUp()
  expect(person.team?.billing).toEqual({
    active: false,
    canceled: false,
    pastDue: false,
    trial: true,
    trialEnded: false,
    trialEndsAt: new Date(clock.now() + 14 * day).toISOString(),
    trialProjectAllowed: true,
  })
  expect(await subjects(person.email, 1)).toContain('Your trial has started')
  expect(await events(person)).toEqual(['billing.trial.started'])
})

test('[TEAM-28] a team has its counts, its type with limits and prices, and how it pays', async () => {
  const { types } = await admin.client.call('team.types', { query: {} })
  const properties = { userLimit: 5, billing: { userCost: 1000, deviceCost: 250 }, deviceFreeAllocation: 1 }
  const change = async (body: { properties: object }) =>
    admin.client.call('teamType.update', { params: { teamTypeId: types[0]!.id }, body })
  await change({ properties })
  const { client, team } = await signUp()
  expect(await client.call('team.get', { params: { teamId: team!.id } })).toMatchObject({
    id: team!.id,
    name: expect.any(String) as string,
    slug: team!.slug,
    avatar: expect.any(String) as string,
    createdAt: expect.any(String) as string,
    memberCount: 1,
    instanceCount: 0,
    type: { name: types[0]!.name, properties },
    billing: {
      active: false,
      canceled: false,
      pastDue: false,
      trial: true,
      trialEnded: false,
      trialEndsAt: expect.any(String) as string,
      trialProjectAllowed: true,
    },
  })
  await change({ properties: {} })
})

test.each([
  ['trial mode is off', { 'user:team:trial-mode': false }],
  ['the length is 0', { 'user:team:trial-mode:duration': 0 }],
  ['no instance type is chosen', { 'user:team:trial-mode:projectType': null }],
])('[ASET-20] no trial begins while %s', async (_why, body) => {
  await admin.client.call('settings.update', { body })
  expect((await signUp()).team?.billing).toEqual({ active: false, canceled: false, pastDue: false })
})

test('no trial begins with an instance type that can no longer be chosen', async () => {
  await admin.client.call('settings.update', { body: { 'user:team:trial-mode:projectType': other } })
  const active = async (on: boolean) =>
    admin.client.call('instanceType.update', { params: { instanceTypeId: other }, body: { active: on } })
  await active(false)
  expect((await signUp()).team?.billing).not.toHaveProperty('trial')
  await active(true)
})

test('the trial refuses an instance of another type', async () => {
  await admin.client.call('settings.update', { body: { 'user:team:trial-mode:projectType': other } })
  await expect(instance(await signUp())).rejects.toMatchObject({
    status: 402,
    message: 'The trial does not include this instance type. Set up payment first',
  })
})

test('the trial has one instance, and a second one is refused', async () => {
  const person = await signUp()
  await instance(person)
  expect(await billing(person)).toMatchObject({ trialProjectAllowed: false })
  await expect(instance(person)).rejects.toMatchObject({
    status: 402,
    code: 'billing_required',
    message: 'The trial includes one instance. Set up payment for more',
  })
})

test('reminders go out 8 and 2 days before the end, each once; at the end instances are suspended', async () => {
  const person = await signUp()
  const { id } = await instance(person)
  await until(
    () => state(person, id),
    (now) => now === 'running',
  )
  for (const days of [5, 2, 5.5, 0.5]) {
    await pass(person, days)
    await look(person)
    await look(person)
  }
  await pass(person, 2)
  await look(person)
  await until(
    () => state(person, id),
    (now) => now === 'suspended',
  )
  expect(await billing(person)).toMatchObject({ active: false, trial: true, trialEnded: true, canceled: false })
  expect(await subjects(person.email, 4)).toEqual([
    'Your trial has started',
    'Your trial ends in 7 days',
    'Your trial ends in 2 days',
    'Your trial has ended',
  ])
  expect(await events(person)).toEqual(['billing.trial.started', 'billing.trial.ended'])
  await expect(person.client.call('instance.start', { params: { instanceId: id } })).rejects.toMatchObject({
    status: 402,
  })
  const paid = await pay(person)
  expect(paid.headers.get('location')).toMatch(/\/team\/trial-\d+\/applications\?billing_session=cs_test_/)
  await look(person)
  await until(
    () => state(person, id),
    (now) => now === 'running',
  )
})

test('the instance of a trial is free until its end, also for a team that pays before', async () => {
  const person = await signUp()
  await instance(person)
  await pay(person)
  const items = async () => (await person.client.call('billing.get', { params: { teamId: person.team!.id } })).items
  expect(await items()).toEqual([])
  await instance(person)
  await look(person)
  expect(await items()).toMatchObject([{ name: 'Standard', quantity: 1, price: 1000 }])
  await pass(person, 15)
  await look(person)
  await look(person)
  expect(await items()).toMatchObject([{ quantity: 2 }])
  expect(await billing(person)).toEqual({ active: true, canceled: false, pastDue: false })
})
