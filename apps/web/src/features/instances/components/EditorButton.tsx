import type { Instance } from '@app/contract'
import { PencilRuler } from 'lucide-react'
import { ButtonAnchor } from '../../../ui/Button.tsx'
import { Tooltip } from '../../../ui/Tooltip.tsx'
import { useChange } from '../changes.ts'
import { type Editable, editorObstacle } from '../editor-obstacle.ts'

type Shown = Editable & Pick<Instance, 'id' | 'name'> & Partial<Pick<Instance, 'url'>>

/** Opens the editor in a tab of its own; says why where it cannot be opened. */
export function EditorButton({
  instance,
  visiting,
  primary,
}: {
  instance: Shown
  /** An administrator looks at a team of others. */
  visiting: boolean
  primary?: boolean
}) {
  const change = useChange(instance.id)
  const obstacle = editorObstacle(instance, { visiting, changing: change !== undefined })
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
