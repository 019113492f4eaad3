import { useState } from 'react'
import { Button } from '../ui/Button.tsx'
import { Checkbox } from '../ui/Checkbox.tsx'
import { BoxedLayout } from './BoxedLayout.tsx'

/** Gate 5: the terms have to be accepted, for the first time or again. */
export function Terms({
  url,
  onAccept,
  accepting,
  onSignOut,
}: {
  /** Where the terms can be read; undefined when the platform names no address. */
  url: string | undefined
  onAccept: () => void
  accepting?: boolean
  onSignOut: () => void
}) {
  const [agreed, setAgreed] = useState(false)
  return (
    <BoxedLayout title="Terms and Conditions">
      <p className="-mt-3 text-muted">Accept the terms of this platform to continue.</p>
      {url && (
        <a
          href={url}
          target="_blank"
          rel="noreferrer"
          className="w-fit rounded-sm font-medium text-accent-text hover:underline"
        >
          Read the Terms and Conditions
        </a>
      )}
      <Checkbox checked={agreed} onChange={setAgreed} label="I accept the Terms and Conditions" />
      <Button variant="primary" disabled={!agreed} loading={accepting ?? false} onClick={onAccept}>
        Accept and continue
      </Button>
      <Button variant="ghost" onClick={onSignOut}>
        Sign Out
      </Button>
    </BoxedLayout>
  )
}
