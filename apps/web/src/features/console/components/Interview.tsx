import { useEffect, useState } from 'react'
import { analytics, identify } from '../../../lib/analytics.ts'
import { readStored, writeStored } from '../../../lib/storage.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { useUser } from '../../account/index.ts'
import { type Invitation, interviewOf, seenKey } from '../interview.ts'

/** Asks for a talk, once per browser, where the platform's analytics says that this person is to be asked [SHELL-06]. */
export function Interview() {
  const { id } = useUser()
  const [invitation, setInvitation] = useState<Invitation>()
  useEffect(() => {
    const client = analytics()
    if (!client || readStored(seenKey)) return
    identify({ id }, {})
    client.onFeatureFlags((flags) => {
      const found = interviewOf(flags, (flag) => client.getFeatureFlagPayload(flag))
      if (found && !readStored(seenKey)) {
        client.capture('$interview-popup-shown', { featureFlagName: found.flag })
        setInvitation(found)
      }
    })
  }, [id])
  if (!invitation) return null
  const { flag, invitationTitle, invitationBody, bookingLink, closeText, bookText } = invitation
  const close = (event: '$interview-popup-dismissed' | '$interview-popup-book') => {
    analytics()?.capture(event, { featureFlagName: flag })
    writeStored(seenKey, new Date().toISOString())
    setInvitation(undefined)
  }
  return (
    <Dialog
      open
      onClose={() => close('$interview-popup-dismissed')}
      title={invitationTitle}
      description={invitationBody}
      footer={
        <>
          <Button onClick={() => close('$interview-popup-dismissed')}>{closeText}</Button>
          <Button
            variant="primary"
            onClick={() => {
              window.open(bookingLink, '_blank', 'noopener')
              close('$interview-popup-book')
            }}
          >
            {bookText}
          </Button>
        </>
      }
    />
  )
}
