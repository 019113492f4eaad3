import type { Team, TeamBilling } from '@app/contract'
import { needsPayment } from '@app/contract/billing'
import { useQuery } from '@tanstack/react-query'
import { Navigate, useLocation } from '@tanstack/react-router'
import { type ReactNode, useEffect, useEffectEvent, useRef } from 'react'
import { useCan } from '../../../lib/can.ts'
import { Banner } from '../../../ui/Banner.tsx'
import { toast } from '../../../ui/toast.ts'
import { teamBySlugQuery, useVisiting } from '../../teams/index.ts'
import { useSession } from '../use-session.ts'

/** While a payment is being confirmed and nothing is pushed. */
const confirmPoll = 3_000

/**
 * Around the pages of a team: leads to Billing who can set up a payment that the team needs [TEAM-26] [TEAM-27]. Others
 * stay, because Billing would send them back; and so do administrators in a team of others, who come to help.
 */
export function Gate({ team, billing, children }: { team: Team; billing: TeamBilling; children: ReactNode }) {
  const { slug } = team
  const path = useLocation({ select: ({ pathname }) => pathname })
  const visiting = useVisiting()
  const mayPay = useCan('team:edit') && !visiting
  const unpaid = needsPayment(billing)
  const isConfirmed = useThanks(path === `/team/${slug}/applications`, !unpaid)
  useQuery({ ...teamBySlugQuery(slug), refetchInterval: isConfirmed ? false : confirmPoll })
  const stays = ['billing', 'settings'].some((page) => `${path}/`.startsWith(`/team/${slug}/${page}/`))
  if (unpaid && mayPay && isConfirmed && !stays) return <Navigate to="/team/$slug/billing" params={{ slug }} replace />
  return (
    <>
      {!isConfirmed && (
        <div className="mb-5">
          <Banner>Waiting for the payment provider to confirm the subscription. This can take two minutes.</Banner>
        </div>
      )}
      {children}
    </>
  )
}

/** Thanks who comes back from the payment provider [BILL-23]. Returns whether there is no payment to wait for. */
function useThanks(isReturn: boolean, isPaid: boolean): boolean {
  const { session, forget } = useSession()
  const thanked = useRef('')
  const hasReturned = isReturn && session !== ''
  const leave = useEffectEvent(forget)
  useEffect(() => {
    if (!hasReturned) return
    if (thanked.current !== session) toast.success('Thanks for signing up to FlowForge!')
    thanked.current = session
    if (isPaid) leave()
  }, [hasReturned, session, isPaid])
  return !hasReturned || isPaid
}
