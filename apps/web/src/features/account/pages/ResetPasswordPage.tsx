import { useNavigate, useParams } from '@tanstack/react-router'
import { ApiError, sentenceOf } from '../../../lib/api.ts'
import { usePageTitle } from '../../../lib/page-title.ts'
import { BoxedLayout } from '../../../shell/BoxedLayout.tsx'
import { PasswordForm, type Passwords } from '../../../shell/PasswordForm.tsx'
import { TextLink } from '../../../ui/TextLink.tsx'
import { toast } from '../../../ui/toast.ts'
import { passwordFailure } from '../refusals.ts'
import { useResetPassword } from '../sign-up.queries.ts'

/** The link of the mail leads here: a new password, then the login. */
export function ResetPasswordPage() {
  usePageTitle('Reset password')
  const { token } = useParams({ from: '/account/change-password/$token' })
  const navigate = useNavigate()
  const { mutateAsync: reset } = useResetPassword(token)

  async function submit({ password }: Passwords) {
    try {
      await reset(password)
    } catch (error) {
      if (!(error instanceof ApiError)) return { root: 'No answer from the server' }
      return passwordFailure({ code: error.code, fields: error.fields, sentence: sentenceOf(error) })
    }
    toast.success('Password successfully updated.')
    await navigate({ to: '/', replace: true })
    return undefined
  }

  return (
    <BoxedLayout title="Choose a new password">
      <p className="-mt-3 text-muted">You will be signed out everywhere else.</p>
      <PasswordForm current={false} submit="Change Password" wide onSubmit={submit} />
      <TextLink to="/account/forgot-password" className="text-md">
        Send me another link
      </TextLink>
    </BoxedLayout>
  )
}
