import { limits } from '@app/contract/constants'
import type { Device, DeviceCredentials } from '@app/contract'
import { type ReactNode, useId } from 'react'
import * as z from 'zod/mini'
import { ApiError, reasonOf } from '../../../lib/api.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Field, Form, type FormOf, setFieldErrors, useZodForm } from '../../../ui/Form.tsx'
import { Input } from '../../../ui/Input.tsx'
import { DeviceTerms, useDeviceTerms } from '../../billing/index.ts'
import { QuotaNote, useIsFull } from '../../team-types/index.ts'
import { useCreateDevice, useEditDevice } from '../devices.actions.ts'
import type { Owner } from '../devices.queries.ts'
import { warnOfDevice } from '../notices.ts'
import { tagsIn, TagsText } from '../tags.ts'

const text = z.string().check(z.trim(), z.maxLength(limits.nameMax, `At most ${limits.nameMax} characters`))
const Values = z.object({ name: text.check(z.minLength(1, 'Give it a name')), type: text, tags: TagsText })
type DetailValues = z.infer<typeof Values>

export type NewDevice = Device & { credentials: DeviceCredentials }

/** Names a new device. */
export function AddDeviceDialog(props: {
  teamId: string
  owner: Owner
  onMade: (device: NewDevice) => void
  onClose: () => void
}) {
  const { mutateAsync: create } = useCreateDevice(props.teamId, props.owner)
  const { obstacle } = useDeviceTerms(props.teamId)
  const isFull = useIsFull(props.teamId, 'devices')
  const form = useZodForm(Values, { defaultValues: { name: '', type: '', tags: '' } })
  return (
    <DetailsDialog
      title="Add Device"
      description="A machine that runs the device agent. The next step shows the file that its agent needs."
      submit="Add"
      deed="create"
      note={
        <>
          <QuotaNote teamId={props.teamId} of="devices" />
          <DeviceTerms teamId={props.teamId} />
        </>
      }
      disabled={isFull || obstacle !== undefined}
      form={form}
      onClose={props.onClose}
      onSubmit={async ({ name, type }) => {
        const made = await create({ name, type })
        props.onClose()
        props.onMade(made)
      }}
    />
  )
}

/** Another name, another type or other tags for a device. */
export function EditDeviceDialog({ device, onClose }: { device: Device; onClose: () => void }) {
  const { mutateAsync: edit } = useEditDevice(device.id)
  const form = useZodForm(Values, {
    defaultValues: { name: device.name, type: device.type, tags: device.tags.join(' ') },
  })
  return (
    <DetailsDialog
      title="Edit Details"
      description={
        <>
          Name, type and tags of <b className="font-semibold text-ink">{device.name}</b>.
        </>
      }
      submit="Save"
      deed="update"
      form={form}
      hasTags
      onClose={onClose}
      onSubmit={async ({ tags: typed, ...values }) => {
        await edit({ ...values, tags: tagsIn(typed) })
        onClose()
      }}
    />
  )
}

function DetailsDialog(props: {
  title: string
  description: ReactNode
  submit: string
  note?: ReactNode
  disabled?: boolean
  deed: 'create' | 'update'
  form: FormOf<DetailValues>
  hasTags?: boolean
  onClose: () => void
  onSubmit: (values: DetailValues) => Promise<void>
}) {
  const id = useId()
  const { form, onClose } = props
  const submit = async (values: DetailValues) => {
    try {
      await props.onSubmit(values)
    } catch (error) {
      if (!(error instanceof ApiError)) return
      if (error.message.toLowerCase().includes('name')) setFieldErrors(form, { name: error.message })
      else warnOfDevice(props.deed, reasonOf(error))
    }
  }
  const empty = form.watch('name').trim() === ''
  const { isSubmitting } = form.formState
  // The answer of a new device has its credentials, which are shown this once.
  const isBusy = isSubmitting && props.deed === 'create'
  return (
    <Dialog
      open
      onClose={onClose}
      busy={isBusy}
      title={props.title}
      description={props.description}
      footer={
        <>
          <Button disabled={isBusy} onClick={onClose}>
            Cancel
          </Button>
          <Button
            variant="primary"
            type="submit"
            form={id}
            disabled={empty || props.disabled === true}
            loading={isSubmitting}
          >
            {props.submit}
          </Button>
        </>
      }
    >
      {props.note}
      <Form id={id} form={form} onSubmit={submit}>
        <Field form={form} name="name" label="Name">
          {(field) => <Input {...field} autoComplete="off" placeholder="Oven 3" />}
        </Field>
        <Field form={form} name="type" label="Type" help="The kind of machine, for your own reference.">
          {(field) => <Input {...field} autoComplete="off" placeholder="Raspberry Pi 4" />}
        </Field>
        {props.hasTags && (
          <Field
            form={form}
            name="tags"
            label="Tags"
            help={`Words to group devices by, with spaces between them. At most ${limits.deviceTags}.`}
          >
            {(field) => <Input {...field} autoComplete="off" placeholder="bakery floor-2" />}
          </Field>
        )}
      </Form>
    </Dialog>
  )
}
