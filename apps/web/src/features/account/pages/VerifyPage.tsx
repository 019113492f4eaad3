import { toastDurations } from '@app/contract/constants'
import { useParams } from '@tanstack/react-router'
import { CircleCheck, MailX } from 'lucide-react'
import { NetworkError, sentenceOf } from '../../../lib/api.ts'
import { usePageTitle } from '../../../lib/page-title.ts'
import { useOnce } from '../../../lib/use-once.ts'
import { LoadingScreen, Whole } from '../../../shell/Screens.tsx'
import { ButtonLink } from '../../../ui/Button.tsx'
import { toast } from '../../../ui/toast.ts'
import { orLogs } from '../refusals.ts'
import { useMailToken } from '../sign-up.queries.ts'

/** The link of the mail to a new account leads here; the page posts its token, so that a mail scanner uses none up. */
export function VerifyPage() {
  const { token } = useParams({ from: '/account/verify/$token' })
  const { mutate: verify, isSuccess, isError } = useMailToken('account.verifyToken')
  usePageTitle('Verify e-mail')
  useOnce(() =>
    verify(token, {
      onError: (failure) =>
        failure instanceof NetworkError ||
        toast.warning(`Unable to verify email. ${orLogs(sentenceOf(failure))}`, {
          countdown: toastDurations.verificationFailure,
        }),
    }),
  )
  if (isSuccess) {
    return (
      <Whole
        icon={<CircleCheck size={20} />}
        title="Your e-mail address is verified"
        message="Thank you. You can go on now."
      >
        <ButtonLink to="/" variant="primary">
          Continue
        </ButtonLink>
      </Whole>
    )
  }
  if (!isError) return <LoadingScreen message="Verifying your e-mail address" />
  return (
    <Whole
      icon={<MailX size={20} />}
      title="This link did not work"
      message="A link works once, and for 48 hours. Sign in to have a new one sent."
    >
      <ButtonLink to="/" variant="primary">
        Go to login
      </ButtonLink>
    </Whole>
  )
}
