import type { TeamBilling } from '@app/contract'
import { allows } from '@app/contract/scopes'
import { useLocation } from '@tanstack/react-router'
import { useNow } from '../../../lib/use-now.ts'
import { Banner } from '../../../ui/Banner.tsx'
import { TextLink } from '../../../ui/TextLink.tsx'
import { noticeOf } from '../billing.state.ts'
import { useSession } from '../use-session.ts'

/** The banner of a team in a trial, without a payment, or whose payment failed [BILL-11] [BILL-12]. */
export function BillingNotice({ billing, slug, role }: { billing: TeamBilling; slug: string; role: number }) {
  const notice = noticeOf(billing, useNow(60_000))
  const page = `/team/${slug}/billing`
  const isThere = useLocation({ select: ({ pathname }) => pathname === page })
  const { session } = useSession()
  // A person who has just paid hears of that instead.
  if (!notice || session !== '') return null
  const mayEdit = allows(role, 'team:edit')
  return (
    <Banner
      flush
      kind={notice.kind}
      action={mayEdit && !isThere && <TextLink to={page}>{notice.urgent ? 'Go to Billing' : 'Billing'}</TextLink>}
    >
      {notice.text}
      {notice.urgent && !mayEdit && ' Please ask a team administrator to update the subscription.'}
    </Banner>
  )
}
