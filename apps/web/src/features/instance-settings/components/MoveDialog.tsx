import { useState } from 'react'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { FormRow } from '../../../ui/FormRow.tsx'
import { Select } from '../../../ui/Select.tsx'
import { useTeamApplications } from '../../applications/index.ts'
import { useCurrentInstance } from '../../instances/index.ts'
import { useChangeApplication } from '../settings.queries.ts'

/** Another application of the team for the instance at hand. */
export function MoveDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const { id, application, team } = useCurrentInstance()
  const { data } = useTeamApplications(open ? team.id : undefined)
  const [chosen, setChosen] = useState<string>()
  const { mutate, isPending } = useChangeApplication(id)
  const others = data?.applications.filter((one) => one.id !== application.id) ?? []
  // The choice may have been deleted, or become the present one, by somebody else.
  const value = [chosen, others[0]?.id].find((one) => others.some((other) => other.id === one))
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title="Move Instance"
      description="Its address, flows and settings stay the same, and it keeps running."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            disabled={value === undefined}
            loading={isPending}
            onClick={() => value && mutate(value, { onSuccess: onClose })}
          >
            Move Instance
          </Button>
        </>
      }
    >
      <FormRow
        label="Application"
        {...(data && others.length === 0 ? { hint: 'The team has no other application yet.' } : {})}
      >
        <Select
          value={value ?? ''}
          onChange={setChosen}
          disabled={value === undefined}
          options={others.map((one) => ({ value: one.id, label: one.name }))}
        />
      </FormRow>
    </Dialog>
  )
}
