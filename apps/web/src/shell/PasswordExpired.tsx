import { Button } from '../ui/Button.tsx'
import { BoxedLayout } from './BoxedLayout.tsx'
import { PasswordForm, type Passwords, type Refused } from './PasswordForm.tsx'

/** Gate 3: a new password is due. `onSubmit` answers with sentences when the server refuses. */
export function PasswordExpired({
  username,
  onSubmit,
  onSignOut,
}: {
  username: string
  onSubmit: (passwords: Passwords) => Promise<Refused | undefined>
  onSignOut: () => void
}) {
  return (
    <BoxedLayout title="Your password has expired">
      <p className="-mt-3 text-muted">Choose a new one to continue.</p>
      <PasswordForm submit="Change Password" username={username} onSubmit={onSubmit} wide />
      <Button variant="ghost" onClick={onSignOut}>
        Sign Out
      </Button>
    </BoxedLayout>
  )
}
