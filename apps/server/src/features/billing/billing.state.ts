import { type TeamBilling, SubscriptionStatus } from '@app/contract'
import { iso } from '../../platform/clock.ts'

/** The part of a subscription that says whether its team may work. */
export interface BillingState {
  status: string | null
  trial_ends_at: number | null
}

/** Does a trial run at this time? */
export const inTrial = ({ status, trial_ends_at }: BillingState, now: number): boolean =>
  status === 'trial' && trial_ends_at !== null && now < Number(trial_ends_at)

/** Is it paid for, or is a payment just overdue? */
export const isPaid = ({ status }: Pick<BillingState, 'status'>): boolean =>
  status === 'active' || status === 'past_due'

/** Subscription of a team as its record shows it; all null: it has none. */
export function teamBilling(state: BillingState, instances: number, now: number): TeamBilling {
  const status = SubscriptionStatus.safeParse(state.status).data
  const endsAt = state.trial_ends_at === null ? undefined : Number(state.trial_ends_at)
  return {
    active: isPaid(state),
    canceled: status === 'canceled',
    pastDue: status === 'past_due',
    ...(endsAt !== undefined && {
      trial: true as const,
      trialEnded: endsAt <= now,
      trialEndsAt: iso(endsAt),
      trialProjectAllowed: inTrial(state, now) && instances === 0,
    }),
  }
}
