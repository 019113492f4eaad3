import type { Device } from '@app/contract'
import { useState } from 'react'
import { Button } from '../../../ui/Button.tsx'
import { Combobox } from '../../../ui/Combobox.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { FormRow } from '../../../ui/FormRow.tsx'
import { useTeamApplications } from '../../applications/index.ts'
import { useAssignDevice } from '../devices.actions.ts'

/** Chooses the instance whose target snapshot a device runs: its application first [INST-46]. */
export function AssignDialog({ device, onClose }: { device: Device; onClose: () => void }) {
  const { data } = useTeamApplications(device.team.id)
  const { mutate: assign, isPending } = useAssignDevice(device.id)
  const [applicationId, setApplicationId] = useState('')
  const [chosen, setChosen] = useState('')
  const applications = data?.applications ?? []
  const instances = applications.find(({ id }) => id === applicationId)?.instances ?? []
  // Where there is one to choose it is chosen [INST-47].
  const instanceId = instances.length === 1 ? instances[0]!.id : chosen
  const optionsOf = (list: { id: string; name: string }[]) => list.map(({ id, name }) => ({ value: id, label: name }))
  return (
    <Dialog
      open
      onClose={onClose}
      title="Add to Instance"
      description={
        <>
          <b className="font-semibold text-ink">{device.name}</b> then runs the target snapshot of this instance.
        </>
      }
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            disabled={instanceId === ''}
            loading={isPending}
            onClick={() => assign(instanceId, { onSuccess: onClose })}
          >
            Add
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-5">
        <FormRow
          label="Application"
          help={data && applications.length === 0 ? 'The team has no applications yet.' : undefined}
        >
          <Combobox
            value={applicationId}
            onChange={(id) => {
              setApplicationId(id)
              setChosen('')
            }}
            options={optionsOf(applications)}
            placeholder="Choose an application..."
            searchLabel="Search Applications..."
            emptyText="No such application."
          />
        </FormRow>
        <FormRow
          label="Instance"
          disabled={applicationId === ''}
          help={applicationId !== '' && instances.length === 0 ? 'This application has no instances.' : undefined}
        >
          <Combobox
            value={instanceId}
            onChange={setChosen}
            options={optionsOf(instances)}
            placeholder="Choose an instance..."
            searchLabel="Search Instances..."
            emptyText="No such instance."
          />
        </FormRow>
      </div>
    </Dialog>
  )
}
