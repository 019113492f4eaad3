import type { Licence } from '@app/contract'
import { useState } from 'react'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { FileInput } from '../../../ui/FileInput.tsx'
import { FormRow } from '../../../ui/FormRow.tsx'
import { Textarea } from '../../../ui/Input.tsx'
import { useUpdateLicence } from '../licence.queries.ts'
import { LicenceDetails } from './LicenceDetails.tsx'

/** A licence in two steps: give and check it, then read what it says and apply it [ALIC-02] [ALIC-03]. */
export function LicenceUpdate({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('')
  const [found, setFound] = useState<Licence>()
  const inspect = useUpdateLicence('inspect')
  const apply = useUpdateLicence('apply')
  const given = text.trim()
  const cancel = (
    <Button variant="ghost" onClick={onClose}>
      Cancel
    </Button>
  )
  if (found) {
    return (
      <Card title="Check the details" note="Step 2 of 2">
        <LicenceDetails licence={found} />
        <div className="flex gap-3 border-t p-4">
          <Button
            variant="primary"
            loading={apply.isPending}
            onClick={() => apply.mutate(given, { onSuccess: onClose })}
          >
            Apply license
          </Button>
          {cancel}
        </div>
      </Card>
    )
  }
  return (
    <Card title="Update license" note="Step 1 of 2" padded>
      <div className="flex flex-col gap-4">
        <FormRow label="Upload a license file">
          <FileInput accept=".lic,.txt,text/plain" onText={(content) => setText(content ?? '')} />
        </FormRow>
        <FormRow label="Or enter a license">
          <Textarea
            className="mono break-all"
            rows={6}
            spellCheck={false}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </FormRow>
        <div className="flex gap-3">
          <Button
            variant="primary"
            disabled={given === ''}
            loading={inspect.isPending}
            onClick={() => inspect.mutate(given, { onSuccess: setFound })}
          >
            Check license
          </Button>
          {cancel}
        </div>
      </div>
    </Card>
  )
}
