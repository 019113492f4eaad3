import type { Subscription, TeamBilling } from '@app/contract'
import { daysLeft, dollars } from '@app/contract/billing'
import { plural } from '../../../lib/plural.ts'
import { formatDate } from '../../../lib/dates.ts'
import { useNow } from '../../../lib/use-now.ts'
import { Badge } from '../../../ui/Badge.tsx'
import { Banner } from '../../../ui/Banner.tsx'
import { Card } from '../../../ui/Card.tsx'
import { type Detail, DetailList } from '../../../ui/DetailList.tsx'
import { ErrorState } from '../../../ui/ErrorState.tsx'
import { badgeOf, isTrialRunning, itemsOf, titleOf } from '../billing.state.ts'
import { Items } from './Items.tsx'

interface Answer {
  data: Subscription | null | undefined
  error: Error | null
  isFetching: boolean
  refetch: () => unknown
}

/** The subscription or the trial of a team: its dates, its credit and its items. */
export function SubscriptionView({ billing, subscription }: { billing: TeamBilling; subscription: Answer }) {
  const { data, error, isFetching, refetch } = subscription
  const now = useNow(60_000)
  if (error && data === undefined)
    return (
      <ErrorState retrying={isFetching} onRetry={() => void refetch()}>
        Something went wrong loading your subscription information, please try again.
      </ErrorState>
    )
  const balance = data?.customer.balance ?? 0
  const items = data === undefined ? undefined : itemsOf(billing, data ?? undefined)
  return (
    <>
      {balance < 0 && (
        <Banner kind="success">
          Your credit balance is {dollars(-balance)} US$. It is used before your card is charged.
        </Banner>
      )}
      <Card title={titleOf(billing)}>
        <DetailList items={details(billing, data ?? undefined, now)} />
      </Card>
      <Items items={items} />
    </>
  )
}

function details(billing: TeamBilling, subscription: Subscription | undefined, now: number): Detail[] {
  const isEnding = subscription !== undefined && subscription.ends_at !== null
  const { tone, text } =
    isEnding && !billing.pastDue ? ({ tone: 'warn', text: 'Cancelled' } as const) : badgeOf(billing)
  const { trialEndsAt } = billing
  return [
    { label: 'Status', value: <Badge tone={tone}>{text}</Badge> },
    ...(isTrialRunning(billing) && trialEndsAt !== undefined
      ? [
          {
            label: 'Trial ends',
            value: `${formatDate(trialEndsAt)} (${plural(daysLeft(trialEndsAt, now), 'day')} left)`,
          },
        ]
      : []),
    ...(subscription ? dates(subscription) : []),
  ]
}

/** The end of a subscription that was cancelled for later, else its next payment [BILL-21]. */
function dates({ next_billing_date: next, ends_at: end }: Subscription): Detail[] {
  const payment = { label: 'Next payment', value: next === null ? 'None is due' : formatDate(next * 1000) }
  if (end === null) return [payment]
  return [...(next === null ? [] : [payment]), { label: 'Ends', value: formatDate(end * 1000) }]
}
