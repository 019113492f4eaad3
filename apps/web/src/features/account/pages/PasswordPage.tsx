import { PasswordForm } from '../../../shell/PasswordForm.tsx'
import { Card } from '../../../ui/Card.tsx'
import { toast } from '../../../ui/toast.ts'
import { AccountSection } from '../components/AccountSection.tsx'
import { useNewPassword } from '../components/use-new-password.ts'
import { securityTabs } from '../locations.tsx'
import { useUser } from '../user-context.ts'

/** A new password for the own account; every other session ends. */
export function PasswordPage() {
  const { username } = useUser()
  const change = useNewPassword()
  return (
    <AccountSection title="Security" page="Password" tabs={securityTabs}>
      <div className="max-w-180">
        <Card title="Change Password" padded>
          <p className="mb-5 text-muted">You stay signed in here. Everywhere else you will be signed out.</p>
          <PasswordForm
            username={username}
            submit="Change Password"
            tooShort="Password too short (min. 8 characters)"
            onSubmit={async (passwords) => {
              const refused = await change(passwords)
              if (!refused) toast.success('Password successfully updated.')
              return refused
            }}
          />
        </Card>
      </div>
    </AccountSection>
  )
}
