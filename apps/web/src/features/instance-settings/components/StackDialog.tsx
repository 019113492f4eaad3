import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Direction } from '../../../ui/Direction.tsx'
import { FormRow } from '../../../ui/FormRow.tsx'
import { Select } from '../../../ui/Select.tsx'
import { instanceTypesQuery, stacksQuery } from '../../catalogue/index.ts'
import { DeployButton, Preview, useInstall, usePreview } from '../../deployments/index.ts'
import { OpenEditorsNotice, stackOptionsOf, useCurrentInstance } from '../../instances/index.ts'
import { useMoveInstance } from '../settings.queries.ts'

/** Another stack for the instance at hand; `initial` is chosen until somebody chooses. */
export function StackDialog({ initial, onClose }: { initial: string | undefined; onClose: () => void }) {
  const { id, name, stack, projectType, meta } = useCurrentInstance()
  const { data: stacks = [] } = useQuery(stacksQuery(projectType.id))
  const { data: types = [] } = useQuery(instanceTypesQuery)
  const usual = types.find((type) => type.id === projectType.id)?.defaultStack
  const [chosen, setChosen] = useState<string>()
  const { mutate, isPending } = useMoveInstance(id)
  const options = stackOptionsOf(stack, stacks, usual)
  const value = chosen ?? initial ?? stack.id
  const isOther = value !== stack.id
  const draft = { stack: value }
  const preview = usePreview(id, value, isOther ? draft : undefined)
  const install = useInstall(preview.data?.foreseen)
  return (
    <Dialog
      open
      onClose={onClose}
      title="Change Stack"
      description={
        <>
          Replaces the Node-RED version of <b>{name}</b>. Flows, credentials and modules are kept.{' '}
          {meta.state === 'suspended' ? 'The next start uses it.' : 'The instance restarts.'}
        </>
      }
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <DeployButton
            verb="Change Stack"
            choice={install}
            disabled={!isOther || preview.isPending}
            loading={isPending}
            onClick={() => mutate({ stack: value, ...install.sent }, { onSuccess: onClose })}
          />
        </>
      }
    >
      <OpenEditorsNotice instance={{ id }} />
      <FormRow label="Stack">
        <Select value={value} onChange={setChosen} options={options} />
      </FormRow>
      {isOther && (
        <Direction
          from={{ name: stack.label || stack.name, note: 'Current stack' }}
          to={{ name: options.find((one) => one.value === value)?.label ?? '', note: 'New stack' }}
        />
      )}
      {isOther && <Preview instanceId={id} token={value} draft={draft} install={install} checked />}
    </Dialog>
  )
}
