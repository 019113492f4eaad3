import type { AccountLink, AdminUser, LinkPurpose } from '@app/contract'
import { type ReactNode, useState } from 'react'
import { reasonOf } from '../../../lib/api.ts'
import { formatExact } from '../../../lib/dates.ts'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { confirm } from '../../../ui/confirm.ts'
import { Copyable } from '../../../ui/CopyButton.tsx'
import { toast } from '../../../ui/toast.ts'
import { useSettings, useUser } from '../../account/index.ts'
import { useEndSessions, useMakeLink, useResetFactors } from '../users.queries.ts'

/** Help for a user who cannot sign in: a link where there is no mail, and a reset of the second factor. */
export function UserHelp({ user }: { user: AdminUser }) {
  const canMail = Boolean(useSettings()?.email)
  const self = useUser().id === user.id
  const [link, setLink] = useState<AccountLink>()
  const { mutate: make, isPending: making } = useMakeLink(user.id)
  const { mutate: reset, isPending: resetting } = useResetFactors(user.id)
  const { mutate: endAll, isPending: ending } = useEndSessions(user.id)
  const onError = (error: unknown) => toast.warning(reasonOf(error))
  const hand = (purpose: LinkPurpose) => make(purpose, { onSuccess: setLink, onError })
  async function takeFactors() {
    const sure = await confirm({
      title: 'Reset Second Factor',
      message: (
        <>
          <b>{user.name}</b> is signed out now, and signs in with the password alone until they add a factor again.
          Verify their identity first.
        </>
      ),
      confirmLabel: 'Reset',
      danger: true,
    })
    if (sure) reset(undefined, { onSuccess: () => toast.success('The second factor is reset'), onError })
  }
  async function endSessions() {
    const sure = await confirm({
      title: 'End All Sessions',
      message: (
        <>
          <b>{user.name}</b> is signed out everywhere at once, in editors too. They can sign in again, and their access
          tokens keep working.
        </>
      ),
      confirmLabel: 'End sessions',
      danger: true,
    })
    if (sure) endAll(undefined, { onSuccess: () => toast.success('All their sessions ended.'), onError })
  }
  return (
    <Card title="Help to sign in">
      {!canMail && !user.suspended && (
        <Line
          text="Mail is not configured. Give them a link to choose a new password. It works once, within 24 hours."
          button={
            <Button loading={making} onClick={() => hand('reset-password')}>
              Make Password Link
            </Button>
          }
        />
      )}
      {!canMail && !user.email_verified && (
        <Line
          text="A link to confirm their email address."
          button={
            <Button loading={making} onClick={() => hand('verify')}>
              Make Verification Link
            </Button>
          }
        />
      )}
      {link && (
        <div className="border-b px-4 py-3" aria-live="polite">
          <p className="mb-1.5 text-muted">Shown once. It works until {formatExact(link.expiresAt)}.</p>
          <Copyable text={link.url} what="link" />
        </div>
      )}
      <Line
        text={user.mfa ? 'They lost their authenticator app or passkey.' : 'They have no second factor.'}
        button={
          <Button disabled={!user.mfa || self} loading={resetting} onClick={() => void takeFactors()}>
            Reset Second Factor
          </Button>
        }
      />
      <Line
        text={
          self
            ? 'You end your own sessions on your security page.'
            : 'Use it when a device was lost or a browser left open.'
        }
        button={
          <Button disabled={self} loading={ending} onClick={() => void endSessions()}>
            End All Sessions
          </Button>
        }
      />
    </Card>
  )
}

function Line({ text, button }: { text: string; button: ReactNode }) {
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b px-4 py-3 last:border-0">
      <p className="min-w-0 flex-1 basis-56 text-muted">{text}</p>
      {button}
    </div>
  )
}
