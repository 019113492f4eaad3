import type { Team, TeamBilling } from '@app/contract'
import { CreditCard } from 'lucide-react'
import { formatDate } from '../../../lib/dates.ts'
import { Button, ButtonAnchor } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { useUser } from '../../account/index.ts'
import { useCheckout } from '../billing.queries.ts'
import { stateOf } from '../billing.state.ts'

interface Props {
  team: Team
  billing: TeamBilling
  /** The provider does not know the subscription that the team has. */
  isLost?: boolean
}

/** The way to the payment provider for a team that does not pay, and why to go there. */
export function SetUp({ team, billing, isLost = false }: Props) {
  const { mutate: checkout, isPending } = useCheckout(team.id)
  const hasCredit = useUser().free_trial_available === true
  const isExpired = stateOf(billing) === 'expired'
  return (
    <Card
      title={isExpired ? 'Subscription Expired' : 'Payment'}
      icon={<CreditCard size={16} aria-hidden className="text-muted" />}
      padded
    >
      <div className="flex flex-col items-start gap-4">
        <p>
          {isLost
            ? 'The payment provider does not know the subscription of this team. Set up payment again.'
            : reasonFor(billing)}
          {hasCredit && ' Your first subscription starts with free credit.'}
        </p>
        <Button variant="primary" loading={isPending} onClick={() => checkout()}>
          {isExpired ? 'Renew Subscription' : 'Setup Payment Details'}
        </Button>
      </div>
    </Card>
  )
}

function reasonFor(billing: TeamBilling): string {
  const state = stateOf(billing)
  if (state === 'expired') return 'Your subscription has expired. Please renew it to continue using FlowForge.'
  if (state === 'trial' && billing.trialEndsAt)
    return `Without payment details the instance of the trial is suspended on ${formatDate(billing.trialEndsAt)}. It stays free until then.`
  if (billing.trialEnded) return 'The trial is over. Instances stay suspended until you set up payment.'
  return 'Enter payment details at the payment provider. The team can run instances after that.'
}

/** Leads to the pages of the payment provider where a customer finds invoices and payment details [BILL-04]. */
export const PortalLink = ({ teamId }: { teamId: string }) => (
  <ButtonAnchor href={`/ee/billing/teams/${teamId}/customer-portal`} target="_self">
    Customer Portal
  </ButtonAnchor>
)
