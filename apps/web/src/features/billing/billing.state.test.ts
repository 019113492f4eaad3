import type { TeamBilling } from '@app/contract'
import { dollars, priceParts } from '@app/contract/billing'
import { expect, test } from 'vitest'
import { badgeOf, devicePrice, instanceObstacle, itemsOf, noticeOf, stateOf, titleOf } from './billing.state.ts'

const day = 86_400_000
const now = Date.parse('2026-11-24T12:00:00.000Z')
const inDays = (days: number) => new Date(now + days * day).toISOString()
const none: TeamBilling = { active: false, canceled: false, pastDue: false }
const paid: TeamBilling = { ...none, active: true }
const trial = (days: number, more: Partial<TeamBilling> = {}): TeamBilling => ({
  ...none,
  trial: true,
  trialEnded: days <= 0,
  trialEndsAt: inDays(days),
  trialProjectAllowed: days > 0,
  ...more,
})

test.each([
  ['not set up', none, 'unset', 'Not set up'],
  ['active', paid, 'active', 'Active'],
  ['past due', { ...paid, pastDue: true }, 'active', 'Past due'],
  ['canceled', { ...none, canceled: true }, 'expired', 'Expired'],
  ['canceled after a trial', trial(-1, { canceled: true }), 'expired', 'Expired'],
  ['in trial', trial(3), 'trial', 'Trial'],
  ['after a trial', trial(-1), 'unset', 'Trial ended'],
  ['paid for in its trial', trial(3, { active: true }), 'active', 'Active'],
] as const)('[BILL-13] the state of a team that is %s', (_name, billing, state, text) => {
  expect([stateOf(billing), badgeOf(billing).text]).toEqual([state, text])
})

test('[BILL-08] [BILL-09] [BILL-10] [BILL-14] the banner of each state has its words, and days are rounded up', () => {
  expect(noticeOf(paid, now)).toBeUndefined()
  expect(noticeOf(trial(3, { active: true }), now)).toBeUndefined()
  const text = (billing: TeamBilling) => noticeOf(billing, now)?.text
  expect(text({ ...none, canceled: true })).toBe('The subscription for this team has expired.')
  expect(text({ ...paid, pastDue: true })).toBe('The subscription for this team has over due payments.')
  expect(text(trial(-1))).toBe('Your trial has ended.')
  // It ended while the page was open.
  expect(noticeOf(trial(1), now + 2 * day)?.text).toBe('Your trial has ended.')
  expect(text(trial(1.2))).toBe('The trial of this team ends in 2 days.')
  expect(text(trial(1))).toBe('The trial of this team ends in 1 day.')
  expect(text(none)).toBe('Payment for this team is not set up.')
})

test('[BILL-16] the instance of a trial is an item that costs nothing', () => {
  const item = { name: 'Trial instance', quantity: 1, price: 0 }
  expect(itemsOf(trial(3, { trialProjectAllowed: false }), undefined)).toEqual([item])
  expect(itemsOf(trial(3), undefined)).toEqual([])
  const items = [{ name: 'Small', quantity: 2, price: 1000 }]
  const subscription = { next_billing_date: null, ends_at: null, items, customer: { name: '', balance: 0 } }
  expect(itemsOf(paid, subscription)).toEqual(items)
})

test('[BILL-22] a price text has an amount and an interval, and cents are shown as dollars', () => {
  expect(priceParts('$10/month')).toEqual({ amount: '$10', interval: 'month' })
  expect(priceParts(' $10 ')).toEqual({ amount: '$10', interval: '' })
  expect([dollars(1500), dollars(5), dollars(0)]).toEqual(['15.00', '0.05', '0.00'])
})

test('instances need a payment, or a trial that still has room for one', () => {
  expect(instanceObstacle(paid)).toBeUndefined()
  expect(instanceObstacle(trial(3))).toBeUndefined()
  expect(instanceObstacle(trial(3, { trialProjectAllowed: false }))).toContain('one instance')
  for (const billing of [none, trial(-1), { ...none, canceled: true }])
    expect(instanceObstacle(billing)).toContain('Set up payment')
})

test('[DEV-60] a device has a price where it costs something and the free ones are used up', () => {
  expect(devicePrice({ cost: 250, free: 1, devices: 1 })).toBe('$2.50 per month')
  expect(devicePrice({ cost: 1000, free: 0, devices: 0 })).toBe('$10 per month')
  expect(devicePrice({ cost: 250, free: 2, devices: 1 })).toBeUndefined()
  expect(devicePrice({ cost: 0, free: 0, devices: 5 })).toBeUndefined()
})

test('a team in a trial reads of the trial, one that pays of its subscription, also within the days of the trial', () => {
  expect([trial(3), paid, trial(3, { active: true })].map(titleOf)).toEqual(['Trial', 'Subscription', 'Subscription'])
})
