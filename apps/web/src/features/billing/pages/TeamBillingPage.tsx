import type { Team, TeamBilling } from '@app/contract'
import { useQuery } from '@tanstack/react-query'
import { Navigate } from '@tanstack/react-router'
import { useEffect, useEffectEvent } from 'react'
import { ApiError } from '../../../lib/api.ts'
import { useCan } from '../../../lib/can.ts'
import { usePageTitle } from '../../../lib/page-title.ts'
import { useQueryText } from '../../../lib/use-query-state.ts'
import { NotFound } from '../../../shell/NotFound.tsx'
import { PageHeader } from '../../../ui/PageHeader.tsx'
import { toast } from '../../../ui/toast.ts'
import { useTeam } from '../../teams/index.ts'
import { subscriptionQuery } from '../billing.queries.ts'
import { stateOf } from '../billing.state.ts'
import { Prices } from '../components/Prices.tsx'
import { PortalLink, SetUp } from '../components/SetUp.tsx'
import { SubscriptionView } from '../components/SubscriptionView.tsx'

/** The payment of a team, for who may edit it [BILL-01]. */
export function TeamBillingPage() {
  const team = useTeam()
  const mayEdit = useCan('team:edit')
  if (!team.billing) return <NotFound />
  if (!mayEdit) return <Navigate to="/team/$slug/overview" params={{ slug: team.slug }} replace />
  return <Billing team={team} billing={team.billing} />
}

/** Tells a person whom the customer portal sent back that the payment provider is away. */
function usePortalFailure() {
  const [portal, setPortal] = useQueryText('portal')
  const forget = useEffectEvent(() => setPortal(''))
  useEffect(() => {
    if (portal === '') return
    toast.warning('The payment provider could not be opened.', { detail: 'Try again later.' })
    forget()
  }, [portal])
}

const isUnknown = (error: unknown) => error instanceof ApiError && error.code === 'not_found'

function Billing({ team, billing }: { team: Team; billing: TeamBilling }) {
  usePageTitle('Billing', team.name)
  usePortalFailure()
  const state = stateOf(billing)
  const isAsked = state === 'active' || state === 'trial'
  const subscription = useQuery({ ...subscriptionQuery(team.id, billing), enabled: isAsked })
  const isLost = state === 'active' && isUnknown(subscription.error)
  const hasCustomer = state === 'expired' || (state === 'active' && !!subscription.data)
  return (
    <>
      <PageHeader
        title="Billing"
        description="Subscription, next payment and prices."
        actions={hasCustomer && <PortalLink teamId={team.id} />}
      />
      <div className="flex flex-col gap-5">
        {(state !== 'active' || isLost) && <SetUp team={team} billing={billing} isLost={isLost} />}
        {isAsked && <SubscriptionView billing={billing} subscription={subscription} />}
        <Prices team={team} />
      </div>
    </>
  )
}
