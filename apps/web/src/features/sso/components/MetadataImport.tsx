import type { SsoOptions } from '@app/contract'
import { useState } from 'react'
import { sentenceOf } from '../../../lib/api.ts'
import { Button } from '../../../ui/Button.tsx'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { FileInput } from '../../../ui/FileInput.tsx'
import { FormRow } from '../../../ui/FormRow.tsx'
import { Textarea } from '../../../ui/Input.tsx'
import { toast } from '../../../ui/toast.ts'
import { useReadMetadata } from '../sso.queries.ts'

/** Fills the form from the metadata of the provider: its file, the text of it, or its address. */
export function MetadataImport({ id, onRead }: { id: string; onRead: (options: SsoOptions) => void }) {
  const [open, setOpen] = useState(false)
  const [text, setText] = useState('')
  const [allowPrivate, setAllowPrivate] = useState(false)
  const [fault, setFault] = useState<string>()
  const { mutateAsync: read, isPending } = useReadMetadata(id)
  if (!open) {
    return (
      <Button className="self-start" onClick={() => setOpen(true)}>
        Import Metadata
      </Button>
    )
  }
  const isAddress = /^https?:\/\/\S+$/.test(text.trim())
  async function take() {
    setFault(undefined)
    try {
      const body = isAddress ? { url: text.trim(), allowPrivate } : { xml: text }
      onRead((await read(body)).options)
      toast.success('The metadata is read. Save the configuration to keep it.')
      setOpen(false)
      setText('')
    } catch (error) {
      setFault(sentenceOf(error) ?? 'The metadata could not be read')
    }
  }
  return (
    <div className="flex flex-col gap-3">
      <FormRow label="Metadata file">
        <FileInput accept=".xml,text/xml,application/xml" onText={(content) => setText(content ?? '')} />
      </FormRow>
      <FormRow label="Metadata of the provider" help="The XML of the file, or its address." error={fault}>
        <Textarea
          value={text}
          onChange={(event) => setText(event.target.value)}
          rows={5}
          className="mono"
          spellCheck={false}
        />
      </FormRow>
      {isAddress && (
        <Checkbox
          checked={allowPrivate}
          onChange={setAllowPrivate}
          label="The address is in a private network"
          help="The server fetches it from there, also without HTTPS."
        />
      )}
      <div className="flex gap-2">
        <Button onClick={() => void take()} disabled={text.trim() === ''} loading={isPending}>
          Read Metadata
        </Button>
        <Button variant="ghost" onClick={() => setOpen(false)}>
          Cancel
        </Button>
      </div>
    </div>
  )
}
