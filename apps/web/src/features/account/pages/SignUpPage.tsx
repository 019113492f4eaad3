import type { User } from '@app/contract'
import { CircleCheck, MailCheck } from 'lucide-react'
import { useState } from 'react'
import { usePageTitle } from '../../../lib/page-title.ts'
import { useQueryText } from '../../../lib/use-query-state.ts'
import { BoxedLayout } from '../../../shell/BoxedLayout.tsx'
import { Whole } from '../../../shell/Screens.tsx'
import { Banner } from '../../../ui/Banner.tsx'
import { ButtonLink } from '../../../ui/Button.tsx'
import { Html } from '../../../ui/Html.tsx'
import { TextLink } from '../../../ui/TextLink.tsx'
import { SignUpForm } from '../components/SignUpForm.tsx'
import { useSettings } from '../session.queries.ts'

/** Sign up. `?email=` fills the address in, `?code=` goes with the form as the invitation's code. */
export function SignUpPage() {
  usePageTitle('Sign Up')
  const settings = useSettings()
  const [email] = useQueryText('email')
  const [code] = useQueryText('code')
  const [made, setMade] = useState<User>()
  if (!settings) return null
  if (made) return <SignedUp user={made} />
  const splash = settings['branding:account:signUpLeftBanner']
  const top = settings['branding:account:signUpTopBanner']
  return (
    <BoxedLayout title="Sign Up" splash={splash ? <Html html={splash} /> : undefined} top={top && <Html html={top} />}>
      {!settings['user:signup'] && (
        <Banner>Only people with an invitation can sign up here. Use the address that was invited.</Banner>
      )}
      <SignUpForm settings={settings} email={email} code={code} onDone={setMade} />
      <p className="text-md text-muted">
        You have an account? <TextLink to="/">Login</TextLink>
      </p>
    </BoxedLayout>
  )
}

function SignedUp({ user }: { user: User }) {
  const done = user.sso_enabled === true || user.email_verified
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
  const address = <b className="font-medium wrap-anywhere text-ink">{user.email}</b>
  if (user.email_verified) return <>Your invitation has shown that {address} is yours. Sign in to join your team.</>
  return <>We have sent a link to {address}. Follow it to go on. Nothing there? Look into the spam folder.</>
}
