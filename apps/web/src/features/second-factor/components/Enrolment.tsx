import { useState } from 'react'
import { KeyRound, Smartphone } from 'lucide-react'
import { usePageTitle } from '../../../lib/page-title.ts'
import { BoxedLayout } from '../../../shell/BoxedLayout.tsx'
import { Button } from '../../../ui/Button.tsx'
import { useLogout, useRenewSession } from '../../account/index.ts'
import { passkeysMissing } from '../passkey.ts'
import { AppDialog } from './AppDialog.tsx'
import { PasskeyDialog } from './PasskeyDialog.tsx'

/** The gate of a platform that requires a second factor: nothing else is open until one is added. */
export function Enrolment() {
  usePageTitle('Second factor')
  const [open, setOpen] = useState<'app' | 'passkey'>()
  const renew = useRenewSession()
  const { mutate: signOut } = useLogout()
  const missing = passkeysMissing()
  // The gate opens when the record says so; after a cancelled window it says the same as before.
  const close = () => {
    setOpen(undefined)
    void renew()
  }
  return (
    <BoxedLayout title="Add a second factor">
      <p className="-mt-3 text-muted">
        This platform requires a second factor, so that a stolen password alone is not enough. Adding one takes a
        minute.
      </p>
      <div className="flex flex-col gap-2">
        <Button variant="primary" icon={<Smartphone size={14} aria-hidden />} onClick={() => setOpen('app')}>
          Add an authenticator app
        </Button>
        <Button
          icon={<KeyRound size={14} aria-hidden />}
          disabled={missing !== undefined}
          onClick={() => setOpen('passkey')}
        >
          Add a passkey
        </Button>
        {missing && <p className="text-sm text-muted">{missing}</p>}
      </div>
      <Button variant="ghost" onClick={() => signOut()}>
        Sign Out
      </Button>
      {open === 'app' && <AppDialog kinds={[]} onClose={close} />}
      {open === 'passkey' && <PasskeyDialog kinds={[]} onClose={close} />}
    </BoxedLayout>
  )
}
