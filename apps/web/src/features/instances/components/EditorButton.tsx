import type { Instance } from '@app/contract'
import { PencilRuler } from 'lucide-react'
import { ButtonAnchor } from '../../../ui/Button.tsx'
import { Tooltip } from '../../../ui/Tooltip.tsx'
import { useChange } from '../changes.ts'

type Editable = Pick<Instance, 'id' | 'name'> &
  Partial<Pick<Instance, 'meta' | 'url'>> & { settings?: Instance['settings'] | undefined }

/** Opens the editor in a tab of its own; says why where it cannot be opened. */
export function EditorButton({
  instance,
  visiting,
  primary,
}: {
  instance: Editable
  /** An administrator looks at a team of others. */
  visiting: boolean
  primary?: boolean
}) {
  const change = useChange(instance.id)
  const obstacle = whyNot(instance, visiting, change !== undefined)
  return (
    <Tooltip content={obstacle}>
      <ButtonAnchor
        variant={primary ? 'primary' : 'default'}
        size={primary ? 'md' : 'sm'}
        icon={<PencilRuler size={16} aria-hidden />}
        href={obstacle ? undefined : instance.url}
        aria-label={primary ? undefined : `Editor of ${instance.name}`}
      >
        {primary ? 'Open Editor' : 'Editor'}
      </ButtonAnchor>
    </Tooltip>
  )
}

function whyNot({ meta, settings }: Editable, visiting: boolean, changing: boolean): string | undefined {
  if (visiting) return 'Unable to open editor when visiting as an admin'
  if (settings?.disableEditor) return 'The editor of this instance is disabled'
  // Opening the editor of one that sleeps wakes it.
  if (meta?.sleeping && !changing) return undefined
  if (changing || (meta?.state !== 'running' && meta?.state !== 'safe'))
    return 'The editor opens while the instance is running'
  return undefined
}
