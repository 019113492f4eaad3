import type { Team, TeamBilling } from '@app/contract'
import { lazy, type ReactNode, Suspense } from 'react'

const Gate = lazy(async () => ({ default: (await import('./Gate.tsx')).Gate }))
const BillingNotice = lazy(async () => ({ default: (await import('./BillingNotice.tsx')).BillingNotice }))

/** Lets in where the team has a payment, or where billing is off: nothing is fetched then. */
export function PaymentGate({ team, loading, children }: { team: Team; loading: ReactNode; children: ReactNode }) {
  if (!team.billing) return children
  return (
    <Suspense fallback={loading}>
      <Gate team={team} billing={team.billing}>
        {children}
      </Gate>
    </Suspense>
  )
}

/** The banner about the payment of a team; nothing while billing is off. */
export function BillingBanner(props: { billing: TeamBilling | undefined; slug: string; role: number }) {
  const { billing, ...rest } = props
  return (
    billing && (
      <Suspense fallback={null}>
        <BillingNotice billing={billing} {...rest} />
      </Suspense>
    )
  )
}
