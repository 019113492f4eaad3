import { ApiError, reasonOf } from '../../../lib/api.ts'
import { usePageTitle } from '../../../lib/page-title.ts'
import { PasswordExpired } from '../../../shell/PasswordExpired.tsx'
import { UnverifiedEmail } from '../../../shell/Screens.tsx'
import { Terms } from '../../../shell/Terms.tsx'
import { toast } from '../../../ui/toast.ts'
import { useChangePassword, useLogout, useResendVerification, useUpdateUser } from '../account.queries.ts'

/** Gate 3: the password has expired. */
export function NewPassword() {
  usePageTitle('Password expired')
  const { mutateAsync: change } = useChangePassword()
  const { mutate: signOut } = useLogout()
  return (
    <PasswordExpired
      onSignOut={() => signOut()}
      onSubmit={async ({ current, password }) => {
        try {
          await change({ old_password: current, password })
          return undefined
        } catch (error) {
          return error instanceof ApiError && error.code === 'password_change_failed'
            ? 'Password change failed'
            : reasonOf(error)
        }
      }}
    />
  )
}

/** Gate 4: the e-mail address is not verified. */
export function VerifyEmail({ email }: { email: string }) {
  usePageTitle('Verify e-mail')
  const { mutate: resend, isPending } = useResendVerification()
  const { mutate: signOut } = useLogout()
  return (
    <UnverifiedEmail
      email={email}
      resending={isPending}
      onSignOut={() => signOut()}
      onResend={() =>
        resend(undefined, {
          onSuccess: () => toast.success('The link is on its way.'),
          onError: (error) => toast.warning(reasonOf(error)),
        })
      }
    />
  )
}

/** Gate 5: the terms are to be accepted. */
export function AcceptTerms({ url }: { url: string | undefined }) {
  usePageTitle('Terms and Conditions')
  const { mutate: update, isPending } = useUpdateUser()
  const { mutate: signOut } = useLogout()
  return (
    <Terms
      url={url || undefined}
      accepting={isPending}
      onAccept={() => update({ tcs_accepted: true })}
      onSignOut={() => signOut()}
    />
  )
}
