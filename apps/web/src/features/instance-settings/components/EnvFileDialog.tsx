import { useState } from 'react'
import { plural } from '../../../lib/plural.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { FileInput } from '../../../ui/FileInput.tsx'
import { FormRow } from '../../../ui/FormRow.tsx'
import { Textarea } from '../../../ui/Input.tsx'
import { type Given, parseEnvFile } from '../variables.ts'

/** Variables from a .env file, chosen or pasted. */
export function EnvFileDialog(props: { open: boolean; onClose: () => void; onTake: (file: Given[]) => void }) {
  const { open, onClose, onTake } = props
  const [text, setText] = useState('')
  const { found, lost } = parseEnvFile(text)
  const close = () => {
    setText('')
    onClose()
  }
  return (
    <Dialog
      open={open}
      onClose={close}
      title="Import .env"
      description="Variables with the same name get the new value. Nothing is saved until you save the settings."
      footer={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button
            variant="primary"
            disabled={found.length === 0}
            onClick={() => {
              onTake(found)
              close()
            }}
          >
            {found.length === 0 ? 'Import' : `Import ${found.length}`}
          </Button>
        </>
      }
    >
      <FormRow label="File">
        <FileInput accept=".env,.txt,text/plain" onText={(file) => file !== undefined && setText(file)} />
      </FormRow>
      <FormRow label="Or paste it here" help={`${plural(found.length, 'variable')} found`} error={sentenceOf(lost)}>
        <Textarea
          className="mono"
          rows={8}
          value={text}
          onChange={(event) => setText(event.target.value)}
          spellCheck={false}
          placeholder={'SITE=bakery\nLINE="two"'}
        />
      </FormRow>
    </Dialog>
  )
}

const named = 5

/** The sentence about lines that are not taken from a file; undefined when all are. */
function sentenceOf(lost: readonly number[]): string | undefined {
  const [first, ...others] = lost
  if (first === undefined) return undefined
  if (others.length === 0) return `Line ${first} holds no variable, and is not imported.`
  const more = lost.length - named
  const shown = [...lost.slice(0, named).map(String), ...(more > 0 ? [`${more} more`] : [])]
  return `Lines ${new Intl.ListFormat('en').format(shown)} hold no variable, and are not imported.`
}
