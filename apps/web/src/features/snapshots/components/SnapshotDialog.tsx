import { type ReactNode, useEffect, useId } from 'react'
import { Controller } from 'react-hook-form'
import * as z from 'zod/mini'
import { ApiError, reasonOf } from '../../../lib/api.ts'
import { requiredName } from '../../../lib/required-name.ts'
import { Button } from '../../../ui/Button.tsx'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Field, Form, setFieldErrors, useZodForm } from '../../../ui/Form.tsx'
import { Input, Textarea } from '../../../ui/Input.tsx'
import { toast } from '../../../ui/toast.ts'

const NewSnapshot = z.object({
  name: requiredName(),
  description: z.string().check(z.maxLength(2_000, 'At most 2,000 characters')),
  option: z.boolean(),
})

/** Names a new snapshot, of whatever `create` takes it of. A refusal that speaks of the name stands beside it. */
export function SnapshotDialog(props: {
  description: ReactNode
  placeholder: string
  /** A box to check below the names, which `create` gets as `option`. */
  option?: { label: string; help: string }
  create: (values: z.output<typeof NewSnapshot>) => Promise<unknown>
  /** Title of the notice when it could not be made. */
  failed: string
  onClose: () => void
}) {
  const { description, placeholder, option, create, failed, onClose } = props
  const id = useId()
  const form = useZodForm(NewSnapshot, { defaultValues: { name: '', description: '', option: false } })
  const { setFocus } = form
  useEffect(() => setFocus('name'), [setFocus])
  async function submit(values: z.output<typeof NewSnapshot>) {
    try {
      await create(values)
      onClose()
    } catch (error) {
      if (error instanceof ApiError && error.message.includes('name')) setFieldErrors(form, { name: error.message })
      else toast.warning(failed, { detail: reasonOf(error) })
    }
  }
  const empty = form.watch('name').trim() === ''
  return (
    <Dialog
      open
      onClose={onClose}
      title="Create Snapshot"
      description={description}
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
          {(field) => <Input {...field} autoComplete="off" placeholder={placeholder} />}
        </Field>
        <Field form={form} name="description" label="Description">
          {(field) => <Textarea {...field} rows={3} />}
        </Field>
        {option && (
          <Controller
            control={form.control}
            name="option"
            render={({ field }) => <Checkbox {...option} checked={field.value} onChange={field.onChange} />}
          />
        )}
      </Form>
    </Dialog>
  )
}
