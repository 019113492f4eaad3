import * as z from 'zod/mini'
import { TeamParams } from './primitives.ts'
import { anyone, may, route } from './route.ts'
import { behind } from './switches.ts'

export const SubscriptionStatus = z.enum(['trial', 'active', 'past_due', 'canceled'])
export type SubscriptionStatus = z.infer<typeof SubscriptionStatus>

/** Whether a team pays, as its record says it; absent in a record while billing is off. */
export const TeamBilling = z.object({
  /** Also while a payment is overdue. */
  active: z.boolean(),
  canceled: z.boolean(),
  pastDue: z.boolean(),
  /** Began with a trial, which may still run beside a paid subscription. */
  trial: z.optional(z.literal(true)),
  trialEnded: z.optional(z.boolean()),
  trialEndsAt: z.optional(z.iso.datetime()),
  /** The one instance of the trial can still be created. */
  trialProjectAllowed: z.optional(z.boolean()),
})
export type TeamBilling = z.infer<typeof TeamBilling>

/** Must people of the team set up payment before they go on? [TEAM-26] */
export const needsPayment = ({ active, trial, trialEnded }: TeamBilling): boolean => !active && (!trial || !!trialEnded)

/** A subscription as the payment provider has it. Prices and balance in cents; a negative balance is credit. */
export const Subscription = z.object({
  /** Seconds since 1970; null: no payment is due. */
  next_billing_date: z.nullable(z.number()),
  /** Seconds since 1970 at which it ends, because somebody cancelled it. */
  ends_at: z.nullable(z.number()),
  items: z.array(z.object({ name: z.string(), price: z.number(), quantity: z.number() })),
  customer: z.object({ name: z.string(), balance: z.number() }),
})
export type Subscription = z.infer<typeof Subscription>

/** The amount and the interval of a price text such as `$10/month` [BILL-22]. */
export function priceParts(description: string): { amount: string; interval: string } {
  const [amount = '', interval = ''] = description.split('/')
  return { amount: amount.trim(), interval: interval.trim() }
}

/** Cents as US dollars: `1500` reads `15.00`. */
export const dollars = (cents: number): string => (cents / 100).toFixed(2)

/** Days that are left of a trial, rounded up; 0 once it has ended. */
export const daysLeft = (endsAt: string, now: number): number =>
  Math.max(0, Math.ceil((Date.parse(endsAt) - now) / 86_400_000))

export const billingRoutes = behind('billing', {
  'billing.checkout': route({
    method: 'POST',
    path: '/ee/billing/teams/:teamId',
    summary: 'Start a checkout at the payment provider. A checkout that is still open is answered again',
    access: may('team:edit', 'team'),
    params: TeamParams,
    reply: z.object({ billingURL: z.string() }),
    errors: ['invalid_state', 'billing_unavailable'],
    audit: 'billing.session.created',
    example: { reply: { billingURL: 'https://checkout.stripe.com/c/pay/cs_1' } },
  }),
  'billing.get': route({
    method: 'GET',
    path: '/ee/billing/teams/:teamId',
    summary: 'The subscription of a team, as the payment provider has it',
    access: may('team:edit', 'team'),
    params: TeamParams,
    reply: Subscription,
    errors: ['billing_unavailable'],
  }),
  'billing.portal': route({
    method: 'GET',
    path: '/ee/billing/teams/:teamId/customer-portal',
    summary: 'Redirect to the customer portal of the payment provider',
    access: may('team:edit', 'team'),
    params: TeamParams,
    errors: ['billing_unavailable'],
  }),
  'billing.callback': route({
    method: 'POST',
    path: '/ee/billing/callback',
    summary: 'Webhook of the payment provider. The answer is empty',
    access: anyone,
    errors: ['invalid_request'],
    raw: true,
    bodyLimit: 1_048_576,
  }),
})
