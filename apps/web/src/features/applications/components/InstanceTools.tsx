import type { ComponentProps } from 'react'
import { EditorButton, InstanceMenu } from '../../instances/index.ts'
import { useVisiting } from '../../teams/index.ts'

type Tools = Pick<ComponentProps<typeof EditorButton>, 'instance'> &
  Pick<ComponentProps<typeof InstanceMenu>, 'instance'>

/** The actions of a row: open the editor, start, restart, suspend. */
export function InstanceTools({ instance }: Tools) {
  return (
    <div className="flex items-center justify-end gap-2">
      <EditorButton instance={instance} visiting={useVisiting()} />
      <InstanceMenu instance={instance} />
    </div>
  )
}
