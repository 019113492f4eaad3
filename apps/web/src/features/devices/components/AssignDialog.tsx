import type { BulkResult, Device } from '@app/contract'
import { type ReactNode, useState } from 'react'
import { plural } from '../../../lib/plural.ts'
import { Button } from '../../../ui/Button.tsx'
import { Combobox } from '../../../ui/Combobox.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { FormRow } from '../../../ui/FormRow.tsx'
import { useTeamApplications } from '../../applications/index.ts'
import { useAssignDevice } from '../devices.actions.ts'
import { useAssignDevices } from '../devices.bulk.ts'

/** Chooses the instance whose target snapshot a device runs: its application first [INST-46]. */
export function AssignDialog({ device, onClose }: { device: Device; onClose: () => void }) {
  const { mutate: assign, isPending } = useAssignDevice(device.id)
  return (
    <ChooseInstance
      teamId={device.team.id}
      pending={isPending}
      description={
        <>
          <b className="font-semibold text-ink">{device.name}</b> then runs the target snapshot of this instance.
        </>
      }
      onChoose={(instanceId) => assign(instanceId, { onSuccess: (device) => device && onClose() })}
      onClose={onClose}
    />
  )
}

/** The same for many devices at once. */
export function AssignManyDialog(props: {
  teamId: string
  ids: string[]
  onDone: (result: BulkResult | undefined) => void
  onClose: () => void
}) {
  const { mutate: assign, isPending } = useAssignDevices(props.teamId)
  return (
    <ChooseInstance
      teamId={props.teamId}
      pending={isPending}
      description={`${plural(props.ids.length, 'selected device')} will run the target snapshot of this instance.`}
      onChoose={(instance) => assign({ ids: props.ids, instance }, { onSuccess: props.onDone })}
      onClose={props.onClose}
    />
  )
}

function ChooseInstance(props: {
  teamId: string
  description: ReactNode
  pending: boolean
  onChoose: (instanceId: string) => void
  onClose: () => void
}) {
  const { data } = useTeamApplications(props.teamId)
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
      onClose={props.onClose}
      title="Add to Instance"
      description={props.description}
      footer={
        <>
          <Button onClick={props.onClose}>Cancel</Button>
          <Button
            variant="primary"
            disabled={instanceId === ''}
            loading={props.pending}
            onClick={() => props.onChoose(instanceId)}
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
