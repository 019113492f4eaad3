import type { Subscription, TeamBilling } from '@app/contract'
import { daysLeft } from '@app/contract/billing'
import { plural } from '../../lib/plural.ts'
import type { Tone } from '../../ui/Badge.tsx'

/** Payment state of a team [BILL-13]. */
export type BillingState = 'active' | 'expired' | 'trial' | 'unset'

/** Returns the state of a team. A trial that has ended without a payment is not set up. */
export function stateOf({ active, canceled, trial, trialEnded }: TeamBilling): BillingState {
  if (active) return 'active'
  if (canceled) return 'expired'
  return trial && !trialEnded ? 'trial' : 'unset'
}

/** Does a trial run, also beside a subscription? */
export const isTrialRunning = ({ trial, trialEnded }: TeamBilling): boolean => trial === true && !trialEnded

/** Returns the title of the card about the payment, also while the payment provider is asked. */
export const titleOf = (billing: TeamBilling): string => (stateOf(billing) === 'trial' ? 'Trial' : 'Subscription')

/** The state as a badge. */
export function badgeOf(billing: TeamBilling): { tone: Tone; text: string } {
  if (billing.pastDue) return { tone: 'warn', text: 'Past due' }
  const state = stateOf(billing)
  if (state === 'active') return { tone: 'ok', text: 'Active' }
  if (state === 'expired') return { tone: 'bad', text: 'Expired' }
  if (state === 'trial') return { tone: 'busy', text: 'Trial' }
  return billing.trialEnded ? { tone: 'bad', text: 'Trial ended' } : { tone: 'idle', text: 'Not set up' }
}

export interface BillingNotice {
  kind: 'info' | 'warning' | 'error'
  text: string
  /** Somebody has to do something about it. */
  urgent: boolean
}

/** The banner of a team; undefined for one that pays. */
export function noticeOf(billing: TeamBilling, now: number): BillingNotice | undefined {
  const urgent = true
  if (billing.pastDue) return { kind: 'warning', text: 'The subscription for this team has over due payments.', urgent }
  const state = stateOf(billing)
  if (state === 'active') return undefined
  if (state === 'expired') return { kind: 'error', text: 'The subscription for this team has expired.', urgent }
  const days = billing.trialEndsAt === undefined ? 0 : daysLeft(billing.trialEndsAt, now)
  if (state === 'trial' && days > 0)
    return { kind: 'info', text: `The trial of this team ends in ${plural(days, 'day')}.`, urgent: false }
  if (billing.trial) return { kind: 'error', text: 'Your trial has ended.', urgent }
  return { kind: 'warning', text: 'Payment for this team is not set up.', urgent }
}

export type BillingItem = Subscription['items'][number]

/** The items of a subscription, and in front of them the instance of a trial, which is free [BILL-16]. */
export function itemsOf(billing: TeamBilling, subscription: Subscription | undefined): BillingItem[] {
  const hasTrialInstance = stateOf(billing) === 'trial' && billing.trialProjectAllowed === false
  const trial = { name: 'Trial instance', quantity: 1, price: 0 }
  return [...(hasTrialInstance ? [trial] : []), ...(subscription?.items ?? [])]
}

/** Why the team can add no instance now; undefined: billing does not keep it from that. */
export function instanceObstacle(billing: TeamBilling): string | undefined {
  const state = stateOf(billing)
  if (state === 'active') return undefined
  if (state !== 'trial') return 'Set up payment for this team before you create instances.'
  return billing.trialProjectAllowed
    ? undefined
    : 'The trial includes one instance, and this team has it. Set up payment to create more.'
}

export interface DeviceTerms {
  /** Cents a month. */
  cost: number
  /** The number of devices that cost nothing. */
  free: number
  devices: number
}

/** The price of one more device, where that costs something [DEV-60]. */
export function devicePrice({ cost, free, devices }: DeviceTerms): string | undefined {
  if (cost <= 0 || devices < free) return undefined
  return `${priceIn(cost)} per month`
}

/** Cents as people write them: `$15`, `$2.50`. */
export const priceIn = (cents: number): string => `$${(cents / 100).toFixed(cents % 100 === 0 ? 0 : 2)}`
