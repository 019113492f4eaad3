import type { ProvisioningToken } from '@app/contract'
import { limits, patterns, provisioningName } from '@app/contract/constants'
import { useId, useState } from 'react'
import * as z from 'zod/mini'
import { ApiError, reasonOf } from '../../../lib/api.ts'
import { Button } from '../../../ui/Button.tsx'
import { Combobox } from '../../../ui/Combobox.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Field, Form, type FormOf, setFieldErrors, useZodForm } from '../../../ui/Form.tsx'
import { Input } from '../../../ui/Input.tsx'
import { toast } from '../../../ui/toast.ts'
import { useTeamApplications } from '../../applications/index.ts'
import { type TokenValues, useCreateToken, useUpdateToken } from '../provisioning.queries.ts'
import { ProvisioningFile } from './ProvisioningFile.tsx'

const Values = z.object({
  name: z
    .string()
    .check(
      z.minLength(1, 'Give it a name'),
      z.maxLength(limits.provisioningNameMax, `At most ${limits.provisioningNameMax} characters`),
      z.regex(patterns.provisioningName, 'Letters, digits, spaces, - and _ only'),
    ),
  instance: z.string(),
  expiryAt: z.string(),
})
type Values = z.output<typeof Values>

const none = 'none'

/** The fields sent for the values of the form. */
const sent = ({ instance, expiryAt }: Values): TokenValues => ({
  instance: instance === none ? '' : instance,
  expiryAt: expiryAt === '' ? null : new Date(expiryAt).toISOString(),
})

/** An error that speaks of a field stands beside it, any other in a notice [PROV-15] [PROV-16]. */
function refuse(form: FormOf<Values>, verb: 'create' | 'update', error: unknown): void {
  if (!(error instanceof ApiError)) return
  const text = error.message
  const field = (['expiryAt', 'instance', 'name'] as const).find((name) => text.includes(name))
  if (field) setFieldErrors(form, { [field]: text })
  else toast.warning(`Failed to ${verb} provisioning token: ${reasonOf(error)}`)
}

/** Makes a token and shows the file that agents read, this once [PROV-09]. */
export function CreateProvisioningDialog({ teamId, onClose }: { teamId: string; onClose: () => void }) {
  const [made, setMade] = useState<{ name: string; token: string }>()
  const { mutateAsync: create, isPending } = useCreateToken(teamId)
  const form = useZodForm(Values, { defaultValues: { name: provisioningName, instance: none, expiryAt: '' } })
  const submit = async (values: Values) => {
    try {
      setMade(await create({ name: values.name, ...sent(values) }))
    } catch (error) {
      refuse(form, 'create', error)
    }
  }
  if (!made) return <TokenForm teamId={teamId} form={form} busy={isPending} onSubmit={submit} onClose={onClose} />
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title="Provisioning File"
      description={
        <>
          Save it as <span className="mono">device.yml</span> where the agent runs. Each machine that has it registers
          itself.
        </>
      }
      footer={
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <ProvisioningFile name={made.name} teamId={teamId} token={made.token} />
    </Dialog>
  )
}

/** Another instance or expiry for a token; its name stays [PROV-05]. */
export function EditProvisioningDialog(props: { teamId: string; token: ProvisioningToken; onClose: () => void }) {
  const { teamId, token, onClose } = props
  const { mutateAsync: update } = useUpdateToken(teamId, token.id)
  const form = useZodForm(Values, {
    defaultValues: {
      name: token.name,
      instance: token.instance ?? none,
      expiryAt: token.expiryAt === null ? '' : localTime(token.expiryAt),
    },
  })
  const submit = async (values: Values) => {
    // The field shows minutes: what was not touched keeps its seconds.
    const { expiryAt, ...rest } = sent(values)
    const kept = form.formState.dirtyFields.expiryAt ? expiryAt : token.expiryAt
    try {
      await update({ ...rest, expiryAt: kept })
      onClose()
    } catch (error) {
      refuse(form, 'update', error)
    }
  }
  return <TokenForm teamId={teamId} form={form} editing onSubmit={submit} onClose={onClose} />
}

/** A time as an input for local times takes it. */
function localTime(time: string): string {
  const at = new Date(time)
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

function TokenForm(props: {
  teamId: string
  form: FormOf<Values>
  editing?: boolean
  busy?: boolean
  onSubmit: (values: Values) => Promise<void>
  onClose: () => void
}) {
  const id = useId()
  const { form, editing, busy = false, onClose } = props
  const { data } = useTeamApplications(props.teamId)
  const instances = (data?.applications ?? []).flatMap((application) =>
    application.instances.map((instance) => ({ value: instance.id, label: instance.name, note: application.name })),
  )
  return (
    <Dialog
      open
      onClose={onClose}
      busy={busy}
      title={editing ? 'Edit Provisioning Token' : 'Create Provisioning Token'}
      description="Machines with this token register themselves as devices of the team."
      footer={
        <>
          <Button disabled={busy} onClick={onClose}>
            Cancel
          </Button>
          <Button variant="primary" type="submit" form={id} loading={form.formState.isSubmitting}>
            {editing ? 'Save' : 'Create'}
          </Button>
        </>
      }
    >
      <Form id={id} form={form} onSubmit={props.onSubmit}>
        <Field form={form} name="name" label="Name" {...(editing ? { help: 'Cannot be changed.' } : {})}>
          {(field) => <Input {...field} autoComplete="off" readOnly={editing ?? false} />}
        </Field>
        <Field form={form} name="instance" label="Instance" help="New devices run its target snapshot.">
          {(field) => (
            <Combobox
              {...field}
              options={[{ value: none, label: 'None' }, ...instances]}
              searchLabel="Search Instances..."
              emptyText="No such instance."
            />
          )}
        </Field>
        <Field form={form} name="expiryAt" label="Expires" help="Leave empty for no expiry.">
          {(field) => <Input {...field} type="datetime-local" />}
        </Field>
      </Form>
    </Dialog>
  )
}
