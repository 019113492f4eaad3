import type { User } from '@app/contract'
import { useState } from 'react'
import { usePageTitle } from '../../../lib/page-title.ts'
import { useQueryText } from '../../../lib/use-query-state.ts'
import { BoxedLayout } from '../../../shell/BoxedLayout.tsx'
import { Banner } from '../../../ui/Banner.tsx'
import { Html } from '../../../ui/Html.tsx'
import { TextLink } from '../../../ui/TextLink.tsx'
import { SignedUp } from '../components/SignedUp.tsx'
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
        Already have an account? <TextLink to="/">Login</TextLink>
      </p>
    </BoxedLayout>
  )
}
