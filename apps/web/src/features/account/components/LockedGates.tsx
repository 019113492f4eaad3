import { useQuery } from '@tanstack/react-query'
import { reasonOf } from '../../../lib/api.ts'
import { usePageTitle } from '../../../lib/page-title.ts'
import { PasswordExpired } from '../../../shell/PasswordExpired.tsx'
import { UnverifiedEmail } from '../../../shell/Screens.tsx'
import { Terms } from '../../../shell/Terms.tsx'
import { toast } from '../../../ui/toast.ts'
import { useUpdateUser } from '../profile.queries.ts'
import { useLogout, userQuery, useSettings } from '../session.queries.ts'
import { useResendVerification } from '../sign-up.queries.ts'
import { useNewPassword } from './use-new-password.ts'

/** Gate 3: the password has expired. */
export function NewPassword({ username }: { username: string }) {
  usePageTitle('Password expired')
  const change = useNewPassword()
  const { mutate: signOut } = useLogout()
  return <PasswordExpired username={username} onSignOut={() => signOut()} onSubmit={change} />
}

const lookInterval = 5_000

/** Gate 4: the e-mail address is not verified. It opens by itself when the link is followed somewhere else. */
export function VerifyEmail({ email }: { email: string }) {
  usePageTitle('Verify e-mail')
  useQuery({ ...userQuery, refetchInterval: lookInterval })
  const canMail = useSettings()?.email !== false
  const { mutate: resend, isPending } = useResendVerification()
  const { mutate: signOut } = useLogout()
  return (
    <UnverifiedEmail
      email={email}
      canMail={canMail}
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
