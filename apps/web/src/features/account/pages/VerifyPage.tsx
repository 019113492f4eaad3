import { useParams } from '@tanstack/react-router'
import { CircleCheck, MailX } from 'lucide-react'
import { useState } from 'react'
import { ApiError, NetworkError, sentenceOf } from '../../../lib/api.ts'
import { usePageTitle } from '../../../lib/page-title.ts'
import { useOnce } from '../../../lib/use-once.ts'
import { LoadingScreen, Whole } from '../../../shell/Screens.tsx'
import { ButtonLink } from '../../../ui/Button.tsx'
import { VerifyForm } from '../components/VerifyForm.tsx'
import { warnOfLink } from '../refusals.ts'
import { useVerify } from '../sign-up.queries.ts'

type Step = 'posting' | 'password' | 'verified' | 'failed'

/**
 * The link of the mail to a new account leads here; the page posts its token, so that a mail scanner uses none up. Where
 * nobody is signed in it asks for the password, since who reads the mail may not be who signed up.
 */
export function VerifyPage() {
  const { token } = useParams({ from: '/account/verify/$token' })
  const { mutateAsync: verify } = useVerify()
  const [step, setStep] = useState<Step>('posting')
  usePageTitle('Verify e-mail')

  /** Throws what the form has to say: that the password is wrong, or guessed at too often. */
  async function attempt(password?: string): Promise<void> {
    try {
      await verify(password === undefined ? { token } : { token, password })
      setStep('verified')
    } catch (error) {
      if (error instanceof ApiError && error.code === 'password_required') return setStep('password')
      if (password !== undefined && !(error instanceof ApiError && error.code === 'invalid_request')) throw error
      setStep('failed')
      if (!(error instanceof NetworkError)) warnOfLink('verify email', sentenceOf(error))
    }
  }
  useOnce(() => void attempt())

  if (step === 'posting') return <LoadingScreen message="Verifying your e-mail address" />
  if (step === 'password') return <VerifyForm onPassword={attempt} />
  if (step === 'verified') {
    return (
      <Whole
        icon={<CircleCheck size={20} />}
        title="Your e-mail address is verified"
        message="Thank you. You can continue now."
      >
        <ButtonLink to="/" variant="primary">
          Continue
        </ButtonLink>
      </Whole>
    )
  }
  return (
    <Whole
      icon={<MailX size={20} />}
      title="This link did not work"
      message="A link works once, within 48 hours. Sign in to request a new one."
    >
      <ButtonLink to="/" variant="primary">
        Go to login
      </ButtonLink>
    </Whole>
  )
}
