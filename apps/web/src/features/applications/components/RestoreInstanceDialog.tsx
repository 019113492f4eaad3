import { type DeletedInstance, InstanceName } from '@app/contract'
import { useId, useState } from 'react'
import { ApiError, reasonOf } from '../../../lib/api.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { FormRow } from '../../../ui/FormRow.tsx'
import { Input } from '../../../ui/Input.tsx'
import { useRestoreInstance } from '../deleted.queries.ts'

/** Brings an instance back; another one may have its name by now, so the name can be changed. */
export function RestoreInstanceDialog({
  teamId,
  instance,
  onClose,
}: {
  teamId: string
  instance: DeletedInstance
  onClose: () => void
}) {
  const form = useId()
  const [name, setName] = useState(instance.name)
  const { mutate, isPending, error, reset } = useRestoreInstance(teamId)
  const fault = InstanceName.safeParse(name).error?.issues[0]?.message
  const refused = error instanceof ApiError ? (error.fields.name ?? reasonOf(error)) : error && reasonOf(error)
  return (
    <Dialog
      open
      onClose={onClose}
      title="Restore Instance"
      description={
        <>
          <b className="font-semibold text-ink">{instance.name}</b> is restored to {instance.application.name} with its
          flows, credentials and log. It starts if it was running before.
        </>
      }
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={form} variant="primary" disabled={fault !== undefined} loading={isPending}>
            Restore
          </Button>
        </>
      }
    >
      <form
        id={form}
        onSubmit={(event) => {
          event.preventDefault()
          if (!fault) mutate({ id: instance.id, name }, { onSuccess: onClose })
        }}
      >
        <FormRow label="Name" help="The name is part of its address." error={fault ?? refused ?? undefined}>
          <Input
            value={name}
            autoComplete="off"
            onChange={(event) => {
              setName(event.target.value)
              reset()
            }}
          />
        </FormRow>
      </form>
    </Dialog>
  )
}
