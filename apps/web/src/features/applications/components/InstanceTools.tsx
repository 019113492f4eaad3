import { EditorButton, InstanceMenu } from '../../instances/index.ts'
import { useVisiting } from '../../teams/index.ts'
import type { ListedInstance } from '../applications.queries.ts'

/** What can be done with a row: open the editor, start, restart, suspend. */
export function InstanceTools({ instance }: { instance: ListedInstance }) {
  return (
    <div className="flex items-center justify-end gap-2">
      <EditorButton instance={instance} visiting={useVisiting()} />
      <InstanceMenu instance={instance} />
    </div>
  )
}
