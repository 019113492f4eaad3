import { limits } from '@app/contract/constants'
import { useEffect, useId } from 'react'
import * as z from 'zod/mini'
import { ApiError, reasonOf } from '../../../lib/api.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Field, Form, setFieldErrors, useZodForm } from '../../../ui/Form.tsx'
import { Input, Textarea } from '../../../ui/Input.tsx'
import { toast } from '../../../ui/toast.ts'
import { useCreateSnapshot } from '../snapshots.queries.ts'

const NewSnapshot = z.object({
  name: z
    .string()
    .check(
      z.trim(),
      z.minLength(1, 'Give it a name'),
      z.maxLength(limits.nameMax, `At most ${limits.nameMax} characters`),
    ),
  description: z.string().check(z.maxLength(2_000, 'At most 2,000 characters')),
})

/** Names a new snapshot of what the instance holds now. */
export function CreateSnapshotDialog({ instanceId, onClose }: { instanceId: string; onClose: () => void }) {
  const id = useId()
  const { mutateAsync: create } = useCreateSnapshot(instanceId)
  const form = useZodForm(NewSnapshot, { defaultValues: { name: '', description: '' } })
  const { setFocus } = form
  useEffect(() => setFocus('name'), [setFocus])
  async function submit(values: z.output<typeof NewSnapshot>) {
    try {
      await create(values)
      onClose()
    } catch (error) {
      if (error instanceof ApiError && error.message.includes('name')) setFieldErrors(form, { name: error.message })
      else toast.warning('Failed to create snapshot of instance.', { detail: reasonOf(error) })
    }
  }
  const empty = form.watch('name').trim() === ''
  return (
    <Dialog
      open
      onClose={onClose}
      title="Create Snapshot"
      description="It keeps the flows, credentials, environment variables, modules and settings as they are now."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" form={id} disabled={empty} loading={form.formState.isSubmitting}>
            Create
          </Button>
        </>
      }
    >
      <Form id={id} form={form} onSubmit={submit}>
        <Field form={form} name="name" label="Name">
          {(field) => <Input {...field} autoComplete="off" placeholder="Before the new oven" />}
        </Field>
        <Field form={form} name="description" label="Description">
          {(field) => <Textarea {...field} rows={3} />}
        </Field>
      </Form>
    </Dialog>
  )
}
