import type { InstanceListed } from '@app/contract'
import { CirclePause, Play, RotateCw } from 'lucide-react'
import { plural } from '../../../lib/plural.ts'
import { Button } from '../../../ui/Button.tsx'
import { confirm } from '../../../ui/confirm.ts'
import { SelectionBar } from '../../../ui/Selection.tsx'
import { useUser } from '../../account/index.ts'
import { useBulkAction } from '../instances.bulk.ts'
import { openEditorNames } from '../open-editors.ts'
import { type Action, actionObstacle } from '../states.ts'

type Selected = Pick<InstanceListed, 'id' | 'name' | 'meta'>

const choices: { action: Action; label: string; icon: typeof Play }[] = [
  { action: 'start', label: 'Start', icon: Play },
  { action: 'restart', label: 'Restart', icon: RotateCw },
  { action: 'suspend', label: 'Suspend', icon: CirclePause },
]

/** Start, restart and suspend the selected instances, as far as their states allow; nothing while none is selected. */
export function InstanceBulkBar({ instances, onClear }: { instances: Selected[]; onClear: () => void }) {
  const { id: userId } = useUser()
  const { mutate, isPending, variables } = useBulkAction()
  const act = async (action: Action, label: string) => {
    const able = instances.filter(({ meta }) => actionObstacle(action, meta, false) === undefined)
    const sure =
      action === 'start' ||
      (await confirm({
        title: `${label} ${plural(able.length, 'instance')}?`,
        message: <Consequence able={able} left={instances.length - able.length} userId={userId} />,
        confirmLabel: label,
        danger: action === 'suspend',
      }))
    if (sure) mutate({ action, instances: able }, { onSuccess: onClear })
  }
  return (
    <SelectionBar label="Selected instances" count={instances.length} onClear={onClear}>
      {choices.map(({ action, label, icon: Icon }) => (
        <Button
          key={action}
          size="sm"
          icon={<Icon size={14} aria-hidden />}
          loading={isPending && variables.action === action}
          disabled={isPending || instances.every(({ meta }) => actionObstacle(action, meta, false) !== undefined)}
          onClick={() => void act(action, label)}
        >
          {label}
        </Button>
      ))}
    </SelectionBar>
  )
}

/** Which instances are meant, which are left as they are, and whose editors are open. */
function Consequence({ able, left, userId }: { able: Selected[]; left: number; userId: string }) {
  const names = new Intl.ListFormat('en').format(able.map(({ name }) => name))
  const open = able.flatMap(({ name, meta }) => {
    const people = openEditorNames(meta?.editors, userId)
    return people ? [`${name} (${people})`] : []
  })
  return (
    <>
      <p className="wrap-anywhere">{names}</p>
      {left > 0 && <p>{plural(left, 'selected instance')} cannot, by its state, and is left as it is.</p>}
      {open.length > 0 && (
        <p>
          Editors are open: {new Intl.ListFormat('en').format(open)}. Undeployed changes stay in the browser and can be
          deployed afterwards.
        </p>
      )}
    </>
  )
}
