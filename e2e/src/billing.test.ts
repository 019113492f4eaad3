import type { TeamBilling } from '@app/contract'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import {
  adjust,
  admin,
  answer,
  button,
  createInstance,
  createOwner,
  createTeam,
  field,
  type Person,
  screens,
  sees,
  shot,
  until,
  untilState,
  usePlatform,
  useVisitors,
} from './harness/index.ts'

// The stand-in of the payment provider: its checkout and its portal are pages of buttons.
const platform = usePlatform({
  claimed: true,
  settings: () => ({ FORGE_BILLING_PROVIDER: 'test', FORGE_BILLING_FREE_CREDIT: '1500' }),
})
const plain = usePlatform({ claimed: true })
const visitors = useVisitors()
const day = 86_400_000
let boss: Person
let owner: Person
let typeId: string

beforeAll(async () => {
  boss = await platform().people.signIn(admin.username, admin.password)
  platform().people.add('bob')
  owner = await platform().people.signIn('bob', admin.password)
  const { types } = await boss.client.call('instanceType.list', { query: {} })
  typeId = types[0]!.id
  await boss.client.call('instanceType.update', {
    params: { instanceTypeId: typeId },
    body: { properties: { billingDescription: '$10/month' } },
  })
  const { types: teamTypes } = await boss.client.call('team.types', { query: {} })
  await boss.client.call('teamType.update', {
    params: { teamTypeId: teamTypes[0]!.id },
    body: { properties: { billing: { deviceCost: 250 }, deviceFreeAllocation: 1 } },
  })
})

const open = async (person: Person, path: string): Promise<Page> => {
  const { page } = await visitors.open(platform(), person)
  await page.goto(path)
  return page
}
const billingOf = async (teamId: string) =>
  (await boss.client.call('team.get', { params: { teamId } })).billing as TeamBilling
/** A team whose owner has completed the checkout. */
async function payingTeam(name: string) {
  const { team } = await createTeam(owner.client, name)
  await pay(team.id)
  return team
}
async function pay(teamId: string) {
  const { billingURL } = await owner.client.call('billing.checkout', { params: { teamId } })
  const id = billingURL.split('/').at(-1)
  await fetch(`${platform().url}/ee/billing/test/${id}/complete`, { method: 'POST', redirect: 'manual' })
  await until(
    () => billingOf(teamId),
    ({ active }) => active,
  )
}
/** The answers about a team say that it pays like this. */
async function pays(page: Page, { slug }: { slug: string }, billing: Partial<TeamBilling>) {
  const all = { active: false, canceled: false, pastDue: false, ...billing }
  await adjust(page, `/api/v1/teams/slug/${slug}`, (reply) => ({ ...reply, billing: all }))
}
async function openAs(person: Person, team: { slug: string }, billing: Partial<TeamBilling>, path: string) {
  const { page } = await visitors.open(platform(), person)
  await pays(page, team, billing)
  await page.goto(path)
  return page
}
const subscriptionOf = (items: { name: string; price: number; quantity: number }[]) => ({
  next_billing_date: 1_700_000_000,
  ends_at: null,
  items,
  customer: { name: 'Dairy', balance: -1500 },
})
const inDays = (days: number) => new Date(Date.now() + days * day).toISOString()
const cell = (page: Page, row: string) => page.getByRole('row').filter({ hasText: row }).getByRole('cell')
const banner = (page: Page, text: string) => page.getByText(text)

test('[TEAM-04] [TEAM-12] [BILL-07] [BILL-23] [BILL-24] A new team leads to the payment provider, and back when it has paid', async () => {
  const page = await open(owner, '/team/create')
  await sees(page.getByText('Next, the payment provider asks for payment details.'))
  await field(page, 'Team name').fill('Mill')
  await shot(page, 'billing-create-team')
  await button(page, 'Create Team').click()
  await page.waitForURL('**/ee/billing/test/checkout/*')
  await page.getByRole('link', { name: 'Back without paying' }).click()
  // Nothing can be done with the team yet, so its pages lead to Billing.
  await page.waitForURL('**/team/mill/billing')
  await sees(
    page.getByText('Payment for this team is not set up.'),
    page.getByText('Your first subscription starts with free credit.'),
  )
  await shot(page, 'billing-not-set-up')
  await button(page, 'Setup Payment Details').click()
  await page.waitForURL('**/ee/billing/test/checkout/*')
  await button(page, 'Complete').click()
  await sees(screens.toast(page, 'Thanks for signing up to FlowForge!'))
  await page.waitForURL((url) => url.pathname === '/team/mill/applications' && url.search === '')
  await sees(page.getByText('Get Started with your First Application'))
  // Only who comes back from the payment is thanked.
  await page.reload()
  await sees(page.getByText('Get Started with your First Application'))
  expect(await page.getByText('Thanks for signing up').count()).toBe(0)
})

test('[BILL-02] [BILL-03] [BILL-04] [BILL-05] [BILL-21] Billing lists what is charged, the next payment and the credit', async () => {
  const team = await payingTeam('Dairy')
  const page = await open(owner, `/team/${team.slug}/applications`)
  await page.getByRole('navigation').getByRole('link', { name: 'Billing' }).first().click()
  await sees(page.getByText('No Items Yet'), page.getByText('Next payment', { exact: true }))
  await shot(page, 'billing-active')
  await adjust(page, `/ee/billing/teams/${team.id}`, () =>
    subscriptionOf([
      { name: 'Standard', price: 1000, quantity: 3 },
      { name: 'Devices', price: 250, quantity: 2 },
    ]),
  )
  await page.reload()
  await sees(page.getByText('Your credit balance is 15.00 US$.'), page.getByText('Nov 14, 2023'))
  expect(await page.getByRole('columnheader').allInnerTexts()).toEqual([
    'Name',
    'Quantity',
    'Unit Price (US$)',
    'Total Price (US$)',
  ])
  expect(await cell(page, 'Standard').allInnerTexts()).toEqual(['Standard', '3', '10.00', '30.00'])
  expect(await cell(page, 'Devices').allInnerTexts()).toEqual(['Devices', '2', '2.50', '5.00'])
  await shot(page, 'billing-items')
  expect(await page.getByRole('link', { name: 'Customer Portal' }).getAttribute('href')).toBe(
    `/ee/billing/teams/${team.id}/customer-portal`,
  )
})

test('[BILL-04] [BILL-06] [BILL-08] [BILL-09] [BILL-19] A payment is overdue, the subscription is cancelled and renewed', async () => {
  const team = await payingTeam('Smithy')
  const page = await open(owner, `/team/${team.slug}/billing`)
  const portal = page.getByRole('link', { name: 'Customer Portal' })
  await portal.click()
  await button(page, 'Past due').click()
  await page.getByRole('link', { name: 'Back' }).click()
  await sees(banner(page, 'The subscription for this team has over due payments.'), page.getByText('Past due'))
  await page.goto(`/team/${team.slug}/applications`)
  await sees(page.getByRole('link', { name: 'Go to Billing' }), page.getByText('Oven line'))
  await shot(page, 'billing-past-due')
  await page.getByRole('link', { name: 'Go to Billing' }).click()
  await portal.click()
  await button(page, 'Cancel subscription').click()
  await page.getByRole('link', { name: 'Back' }).click()
  await sees(
    banner(page, 'The subscription for this team has expired.'),
    page.getByText('Your subscription has expired. Please renew it to continue using FlowForge.'),
  )
  await shot(page, 'billing-expired')
  await page.goto(`/team/${team.slug}/applications`)
  await page.waitForURL(`**/team/${team.slug}/billing`)
  await button(page, 'Renew Subscription').click()
  await button(page, 'Complete').click()
  await page.waitForURL((url) => url.pathname === `/team/${team.slug}/applications` && url.search === '')
  expect(await billingOf(team.id)).toMatchObject({ active: true, canceled: false })
  await page.goto(`/team/${team.slug}/billing`)
  await sees(page.getByText('Next payment', { exact: true }))
})

test('[BILL-01] [BILL-11] [BILL-12] Members see that their team does not pay, and whom to ask', async () => {
  const { team } = await createTeam(owner.client, 'Tannery')
  platform().people.add('mia', { teamId: team.id, role: 30 })
  const mia = await platform().people.signIn('mia', admin.password)
  const page = await open(mia, `/team/${team.slug}/billing`)
  await page.waitForURL(`**/team/${team.slug}/applications`)
  await sees(
    page.getByText('Oven line'),
    banner(page, 'Payment for this team is not set up. Please ask a team administrator to update the subscription.'),
  )
  const billing = page.getByRole('link', { name: /Billing/ })
  expect(await billing.count()).toBe(0)
  await shot(page, 'billing-member')
  const states: [Partial<TeamBilling>, string][] = [
    [{ canceled: true }, 'The subscription for this team has expired.'],
    [{ active: true, pastDue: true }, 'The subscription for this team has over due payments.'],
    [{ trial: true, trialEnded: true, trialEndsAt: inDays(-1) }, 'Your trial has ended.'],
  ]
  for (const [state, text] of states) {
    const other = await openAs(mia, team, state, `/team/${team.slug}/applications`)
    await sees(banner(other, `${text} Please ask a team administrator to update the subscription.`))
  }
  const mine = await open(owner, `/team/${team.slug}/settings/general`)
  await sees(banner(mine, 'Payment for this team is not set up.'), mine.getByRole('link', { name: 'Go to Billing' }))
  expect(await mine.getByText('Please ask a team administrator').count()).toBe(0)
})

test('[TEAM-26] [TEAM-27] Only the pages of a team that has to pay lead to Billing, apart from its settings', async () => {
  const { team } = await createTeam(owner.client, 'Quarry')
  const ends = { trial: true, trialEndsAt: inDays(1.2) } as const
  const leads: [Partial<TeamBilling>, boolean][] = [
    [{}, true],
    [{ canceled: true }, true],
    [{ ...ends, trialEnded: true }, true],
    [{ ...ends, trialEnded: false }, false],
    [{ active: true }, false],
    [{ active: true, pastDue: true }, false],
    [{ active: true, ...ends, trialEnded: true }, false],
  ]
  for (const [billing, isLed] of leads) {
    const page = await openAs(owner, team, billing, `/team/${team.slug}/members/general`)
    if (isLed) await page.waitForURL(`**/team/${team.slug}/billing`)
    else await sees(button(page, 'Invite Member'))
    expect(new URL(page.url()).pathname).toBe(`/team/${team.slug}/${isLed ? 'billing' : 'members/general'}`)
  }
  const page = await openAs(owner, team, {}, `/team/${team.slug}/settings/danger`)
  await sees(button(page, 'Delete Team'))
  expect(new URL(page.url()).pathname).toBe(`/team/${team.slug}/settings/danger`)
})

test('[BILL-13] Billing shows whether a team is in a trial, pays, has to renew or to set up payment', async () => {
  const { team } = await createTeam(owner.client, 'States')
  const trial = { trial: true, trialEnded: false, trialEndsAt: inDays(1.2), trialProjectAllowed: true } as const
  const states: [Partial<TeamBilling>, string, string | undefined][] = [
    [trial, 'Trial', 'Setup Payment Details'],
    [{ active: true }, 'Active', undefined],
    [{ canceled: true }, 'Subscription Expired', 'Renew Subscription'],
    [{}, 'Payment', 'Setup Payment Details'],
  ]
  for (const [billing, text, action] of states) {
    const { page } = await visitors.open(platform(), owner)
    await pays(page, team, billing)
    if (billing.active) await answer(page, `GET /ee/billing/teams/${team.id}`, 200, subscriptionOf([]))
    await page.goto(`/team/${team.slug}/billing`)
    await sees(page.getByRole('main').getByText(text, { exact: true }).first())
    const offered = await page
      .getByRole('button', { name: /^(Setup Payment Details|Renew Subscription)$/ })
      .allInnerTexts()
    expect(offered).toEqual(action === undefined ? [] : [action])
  }
})

test('[BILL-14] [BILL-17] [BILL-18] What the provider does not know is told, unless a trial explains it', async () => {
  const { team } = await createTeam(owner.client, 'Orchard')
  const path = `/team/${team.slug}/billing`
  const failed = 'Something went wrong loading your subscription information, please try again.'
  const trial = { trial: true, trialEnded: false, trialEndsAt: inDays(1.2), trialProjectAllowed: true } as const
  const tried = await openAs(owner, team, trial, path)
  await sees(tried.getByText('(2 days left)'), tried.getByText('No Items Yet'))
  const { page, expectProblem } = await visitors.open(platform(), owner)
  expectProblem(/status of 503/)
  await pays(page, team, { active: true })
  await answer(page, `GET /ee/billing/teams/${team.id}`, 503, { code: 'billing_unavailable', error: 'Not available' })
  await page.goto(path)
  await sees(page.getByText(failed))
  const unknown = page.getByText('does not know the subscription of this team')
  expect(await unknown.count()).toBe(0)
  await page.unrouteAll()
  await pays(page, team, { active: true })
  await button(page, 'Retry').click()
  await sees(unknown, page.getByText(failed), button(page, 'Setup Payment Details'))
  await shot(page, 'billing-failed')
})

test('[DEV-60] A device has a price once the free ones are used up', async () => {
  const team = await payingTeam('Brewery')
  const page = await open(owner, `/team/${team.slug}/devices`)
  await button(page, 'Add Device').first().click()
  await sees(field(page, 'Name'))
  expect(await page.getByText('This device costs').count()).toBe(0)
  await page.keyboard.press('Escape')
  await owner.client.call('device.create', { body: { name: 'Oven', type: '', team: team.id } })
  await page.reload()
  await button(page, 'Add Device').first().click()
  await sees(page.getByText('This device costs $2.50 per month.'))
  await shot(page, 'billing-device')
})

test('[ASET-20] Administrators set up trials, and see how each team pays', async () => {
  await boss.client.call('settings.update', { body: { 'user:team:auto-create': false, 'user:team:trial-mode': false } })
  const { team } = await createTeam(owner.client, 'Pottery')
  const page = await open(boss, '/admin/settings/general')
  await page.getByRole('checkbox', { name: 'Create a personal team for new users' }).click()
  await page.getByRole('checkbox', { name: 'Start personal teams in trial mode' }).click()
  const length = field(page, 'Trial length in days')
  await length.fill('')
  await sees(page.getByText('Enter 1 to 3650 days'))
  expect(await button(page, 'Save settings').isDisabled()).toBe(true)
  await length.fill('30')
  await field(page, 'Instance type of the trial').click()
  await page.getByRole('option', { name: 'Standard' }).click()
  await shot(page, 'billing-trial-settings')
  await button(page, 'Save settings').click()
  await sees(screens.toast(page, 'Settings changed successfully.'))
  expect(await boss.client.call('settings.get')).toMatchObject({
    'user:team:trial-mode': true,
    'user:team:trial-mode:duration': 30,
    'user:team:trial-mode:projectType': typeId,
  })
  await page.goto('/admin/teams')
  await sees(page.getByRole('row').filter({ hasText: team.name }).getByText('Not set up'))
  await shot(page, 'billing-admin-teams')
})

test('[SHELL-03] [ATYPE-11] A team that pays reaches all its work, and the prices of what it uses are fixed', async () => {
  const team = await payingTeam('Vineyard')
  const { applications } = await owner.client.call('application.listOfTeam', { params: { teamId: team.id } })
  const applicationId = applications[0]!.id
  const { id } = await createInstance(owner.client, { name: 'press-line', applicationId })
  await untilState(owner.client, id, 'running')
  const page = await open(owner, `/team/${team.slug}/applications`)
  const menu = page.getByRole('navigation')
  for (const area of ['Applications', 'Instances', 'Devices', 'Library', 'Billing']) {
    await menu.getByRole('link', { name: area, exact: true }).first().click()
    await sees(page.getByRole('heading', { level: 1, name: area, exact: true }))
  }
  await page.goto(`/application/${applicationId}/instances`)
  await menu.getByRole('link', { name: 'DevOps Pipelines' }).first().click()
  await sees(page.getByText('DevOps Pipelines').last())
  await page.waitForURL('**/pipelines')
  await page.goto(`/instance/${id}/overview`)
  await page.getByRole('link', { name: 'Snapshots', exact: true }).click()
  await sees(button(page, 'Create Snapshot').first())

  const types = await open(boss, '/admin/instance-types')
  await screens.menu.choose(types, 'Actions for Standard', 'Edit Instance Type')
  for (const label of ['Product ID', 'Price ID', 'Price and interval'])
    expect(await field(types, label).isDisabled()).toBe(true)
})

test('[TEAM-14] The pages of a team have an address each, Billing among them', async () => {
  const team = await payingTeam('Orchid')
  const saved = { teamId: team.id, '*': 'shelf/greet' }
  await owner.client.call('library.save', { params: saved, body: { type: 'functions', body: 'return msg' } })
  const page = await open(owner, `/team/${team.slug}`)
  const pages: [path: string, heading: string, at?: string][] = [
    ['applications', 'Applications'],
    ['instances', 'Instances'],
    ['devices', 'Devices'],
    ['library', 'Library'],
    ['library/shelf', 'shelf'],
    ['members', 'Members', 'members/general'],
    ['audit-log', 'Audit Log'],
    ['settings', 'Team Settings', 'settings/general'],
    ['billing', 'Billing'],
  ]
  for (const [path, heading, at = path] of pages) {
    await page.goto(`/team/${team.slug}/${path}`)
    await sees(page.getByRole('heading', { level: 1, name: heading, exact: true }))
    expect(new URL(page.url()).pathname).toBe(`/team/${team.slug}/${at}`)
  }
})

test('An administrator who visits a team that does not pay sees its pages', async () => {
  const { team } = await createTeam(owner.client, 'Visited')
  const page = await open(boss, `/team/${team.slug}/members/general`)
  await sees(page.getByText('You are viewing this team as an Administrator'), button(page, 'Invite Member'))
  expect(new URL(page.url()).pathname).toBe(`/team/${team.slug}/members/general`)
})

test('A subscription that was cancelled for later shows its end, and the portal leads back while the provider is away', async () => {
  const team = await payingTeam('Cellar')
  const page = await open(owner, `/team/${team.slug}/billing`)
  await page.getByRole('link', { name: 'Customer Portal' }).click()
  await button(page, 'Cancel at the end of the month').click()
  await page.getByRole('link', { name: 'Back' }).click()
  await sees(page.getByText('Ends', { exact: true }), page.getByText('Cancelled', { exact: true }))
  expect(await page.getByText('Next payment', { exact: true }).count()).toBe(0)
  await shot(page, 'billing-cancelled-for-later')
  await page.goto(`/team/${team.slug}/billing?portal=unavailable`)
  await sees(screens.toast(page, 'The payment provider could not be opened.'))
  await page.waitForURL(({ search }) => search === '')
})

test('[ATYPE-10] The prices of an instance type are fields with billing alone', async () => {
  const { id } = await boss.client.call('instanceType.create', { body: { name: 'Large', description: '', order: 2 } })
  const page = await open(boss, '/admin/instance-types')
  await screens.menu.choose(page, 'Actions for Large', 'Edit Instance Type')
  await field(page, 'Price and interval').fill('$40/month')
  await button(page, 'Save').click()
  await sees(page.getByText('$40', { exact: true }))
  await boss.client.call('instanceType.delete', { params: { instanceTypeId: id } })
  const other = await plain().people.signIn(admin.username, admin.password)
  const { page: without } = await visitors.open(plain(), other)
  await without.goto('/admin/instance-types')
  await screens.menu.choose(without, 'Actions for Standard', 'Edit Instance Type')
  await sees(field(without, 'Order'))
  expect(await field(without, 'Price and interval').count()).toBe(0)
})

test('[TEAM-22] [SHELL-42] While billing is off the console asks for nothing of it and shows nothing of it', async () => {
  const { owner: plainOwner, team } = await createOwner(plain())
  const { page } = await visitors.open(plain(), plainOwner)
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await page.goto('/team/create')
  await sees(field(page, 'Team name'))
  expect(await page.getByText('the payment provider asks').count()).toBe(0)
  await page.goto(`/team/${team.slug}/devices`)
  await button(page, 'Add Device').first().click()
  await sees(field(page, 'Name'))
  await page.keyboard.press('Escape')
  await page.goto(`/team/${team.slug}/settings/general`)
  await sees(field(page, 'Team name'))
  expect(await page.getByRole('link', { name: 'Billing' }).count()).toBe(0)
  expect(asked.filter((url) => /billing|BillingNotice|Gate-/i.test(url))).toEqual([])
  await page.goto(`/team/${team.slug}/billing`)
  await sees(screens.heading(page, 'Page Not Found'))
})
