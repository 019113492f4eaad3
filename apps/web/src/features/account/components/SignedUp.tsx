import type { User } from '@app/contract'
import { CircleCheck, MailCheck } from 'lucide-react'
import { usePageTitle } from '../../../lib/page-title.ts'
import { Whole } from '../../../shell/Screens.tsx'
import { ButtonLink } from '../../../ui/Button.tsx'

/** The screen after a sign-up: sign in, or confirm the address by mail. */
export function SignedUp({ user }: { user: User }) {
  const done = user.sso_enabled === true || user.email_verified || user.email_proof_waived === true
  const title = done ? 'Your account is ready' : 'Confirm your e-mail address'
  usePageTitle(title)
  return (
    <Whole
      icon={done ? <CircleCheck size={20} /> : <MailCheck size={20} />}
      title={title}
      message={<WhatNow user={user} />}
    >
      <ButtonLink to="/" variant="primary">
        Go to login
      </ButtonLink>
    </Whole>
  )
}

function WhatNow({ user }: { user: User }) {
  if (user.sso_enabled) return 'You can now login using your SSO Provider.'
  if (user.email_proof_waived) return 'Sign in to open your team.'
  const address = <b className="font-medium wrap-anywhere text-ink">{user.email}</b>
  if (user.email_verified) return <>Your invitation has shown that {address} is yours. Sign in to join your team.</>
  return <>We have sent a link to {address}. Follow it to continue. No mail? Check your spam folder.</>
}
