import { useEffect, useState } from 'react'
import { analyticsFlags, captureInterview, identify } from '../../../lib/analytics.ts'
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
    identify({ id }, {})
    if (readStored(seenKey)) return
    let left = false
    void analyticsFlags().then((flags) => {
      const found = interviewOf(flags)
      if (!found || left || readStored(seenKey)) return
      captureInterview('shown', found.flag)
      setInvitation(found)
    })
    return () => {
      left = true
    }
  }, [id])
  if (!invitation) return null
  const { flag, invitationTitle, invitationBody, bookingLink, closeText, bookText } = invitation
  const close = (event: 'dismissed' | 'book') => {
    captureInterview(event, flag)
    writeStored(seenKey, new Date().toISOString())
    setInvitation(undefined)
  }
  return (
    <Dialog
      open
      onClose={() => close('dismissed')}
      title={invitationTitle}
      description={invitationBody}
      footer={
        <>
          <Button onClick={() => close('dismissed')}>{closeText}</Button>
          <Button
            variant="primary"
            onClick={() => {
              window.open(bookingLink, '_blank', 'noopener')
              close('book')
            }}
          >
            {bookText}
          </Button>
        </>
      }
    />
  )
}
