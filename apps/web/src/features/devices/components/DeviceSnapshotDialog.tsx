import type { Device } from '@app/contract'
import { limits } from '@app/contract/constants'
import { useId } from 'react'
import { Controller } from 'react-hook-form'
import * as z from 'zod/mini'
import { ApiError, reasonOf } from '../../../lib/api.ts'
import { Button } from '../../../ui/Button.tsx'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Field, Form, setFieldErrors, useZodForm } from '../../../ui/Form.tsx'
import { Input, Textarea } from '../../../ui/Input.tsx'
import { toast } from '../../../ui/toast.ts'
import { useSnapshotDevice } from '../developer.actions.ts'

const Values = z.object({
  name: z
    .string()
    .check(
      z.trim(),
      z.minLength(1, 'Give it a name'),
      z.maxLength(limits.nameMax, `At most ${limits.nameMax} characters`),
    ),
  description: z.string().check(z.maxLength(2_000, 'At most 2,000 characters')),
  setAsTarget: z.boolean(),
})

/** Names a snapshot of the flows, credentials and modules on a device, in the list of its instance [DMODE-12]. */
export function DeviceSnapshotDialog({ device, onClose }: { device: Device; onClose: () => void }) {
  const id = useId()
  const { mutateAsync: create } = useSnapshotDevice(device)
  const form = useZodForm(Values, { defaultValues: { name: '', description: '', setAsTarget: false } })
  async function submit(values: z.output<typeof Values>) {
    try {
      await create(values)
      onClose()
    } catch (error) {
      if (error instanceof ApiError && error.code === 'invalid_name') setFieldErrors(form, { name: error.message })
      else toast.warning('Failed to create snapshot from the device.', { detail: reasonOf(error) })
    }
  }
  const empty = form.watch('name').trim() === ''
  return (
    <Dialog
      open
      onClose={onClose}
      title="Create Snapshot"
      description={
        <>
          The flows, credentials and modules on <b className="font-semibold text-ink">{device.name}</b>, as a snapshot
          of <b className="font-semibold text-ink">{device.instance?.name}</b>.
        </>
      }
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
          {(field) => <Input {...field} autoComplete="off" placeholder="Tuned at the oven" />}
        </Field>
        <Field form={form} name="description" label="Description">
          {(field) => <Textarea {...field} rows={3} />}
        </Field>
        <Controller
          control={form.control}
          name="setAsTarget"
          render={({ field }) => (
            <Checkbox
              checked={field.value}
              onChange={field.onChange}
              label="Set as Target"
              help="All devices of the instance then run it, except those in developer mode."
            />
          )}
        />
      </Form>
    </Dialog>
  )
}
