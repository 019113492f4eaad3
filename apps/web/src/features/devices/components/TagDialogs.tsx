import type { BulkResult, Device } from '@app/contract'
import { useId, useState } from 'react'
import * as z from 'zod/mini'
import { plural } from '../../../lib/plural.ts'
import { Button } from '../../../ui/Button.tsx'
import { Combobox } from '../../../ui/Combobox.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Field, Form, useZodForm } from '../../../ui/Form.tsx'
import { FormRow } from '../../../ui/FormRow.tsx'
import { Input } from '../../../ui/Input.tsx'
import { useTagDevices } from '../devices.bulk.ts'
import { tagsIn, TagsText } from '../tags.ts'

const Values = z.object({ tags: TagsText })

interface TagDialogProps {
  teamId: string
  rows: Device[]
  onDone: (result: BulkResult) => void
  onClose: () => void
}

/** Adds tags to devices. */
export function AddTagDialog({ teamId, rows, onDone, onClose }: TagDialogProps) {
  const id = useId()
  const { mutateAsync: tag } = useTagDevices(teamId)
  const form = useZodForm(Values, { defaultValues: { tags: '' } })
  const submit = async ({ tags }: z.infer<typeof Values>) => {
    await tag({ ids: rows.map((row) => row.id), add: tagsIn(tags) }).then(onDone, () => undefined)
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title="Add Tag"
      description={`For ${plural(rows.length, 'selected device')}.`}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            type="submit"
            form={id}
            disabled={tagsIn(form.watch('tags')).length === 0}
            loading={form.formState.isSubmitting}
          >
            Add
          </Button>
        </>
      }
    >
      <Form id={id} form={form} onSubmit={submit}>
        <Field form={form} name="tags" label="Tag" help="One word, or several with spaces between them.">
          {(field) => <Input {...field} autoComplete="off" placeholder="bakery" />}
        </Field>
      </Form>
    </Dialog>
  )
}

/** Removes a tag from the devices that have it. */
export function RemoveTagDialog({ teamId, rows, onDone, onClose }: TagDialogProps) {
  const { mutate: tag, isPending } = useTagDevices(teamId)
  const tags = [...new Set(rows.flatMap((row) => row.tags))].toSorted()
  const [chosen, setChosen] = useState(tags.length === 1 ? tags[0]! : '')
  const having = rows.filter((row) => row.tags.includes(chosen)).map(({ id }) => id)
  return (
    <Dialog
      open
      onClose={onClose}
      title="Remove Tag"
      description={`From ${plural(rows.length, 'selected device')}.`}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            disabled={chosen === ''}
            loading={isPending}
            onClick={() => tag({ ids: having, remove: [chosen] }, { onSuccess: onDone })}
          >
            Remove
          </Button>
        </>
      }
    >
      <FormRow label="Tag">
        <Combobox
          value={chosen}
          onChange={setChosen}
          options={tags.map((value) => ({ value, label: value }))}
          placeholder="Choose a tag..."
          searchLabel="Search Tags..."
          emptyText="No such tag."
        />
      </FormRow>
    </Dialog>
  )
}
