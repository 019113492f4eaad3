import { AccountSection } from '../components/AccountSection.tsx'
import { DeleteAccount } from '../components/DeleteAccount.tsx'
import { ProfileForm } from '../components/ProfileForm.tsx'

/** The own profile, and the way to end the account. */
export function AccountSettingsPage() {
  return (
    <AccountSection title="Settings" description="Your profile.">
      <div className="flex max-w-180 flex-col gap-6">
        <ProfileForm />
        <DeleteAccount />
      </div>
    </AccountSection>
  )
}
