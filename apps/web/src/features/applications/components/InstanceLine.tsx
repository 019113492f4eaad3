import { RouterLink } from '../../../ui/RouterLink.tsx'
import { EditorButton, instancePlace, InstanceStatus, LastUpdated } from '../../instances/index.ts'
import { useVisiting } from '../../teams/index.ts'
import type { ListedInstance } from '../applications.queries.ts'

/** An instance in its application's list: name and address, state, when flows were deployed, the editor. */
export function InstanceLine({ instance }: { instance: ListedInstance }) {
  const visiting = useVisiting()
  const host = instance.url?.replace(/^https?:\/\//, '')
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-2 px-4 py-2 sm:grid-cols-[minmax(0,1fr)_140px_minmax(0,250px)_auto]">
      <div className="min-w-0">
        <RouterLink
          to={instancePlace(instance)}
          className="block w-fit max-w-full truncate rounded-sm font-medium hover:underline"
        >
          {instance.name}
        </RouterLink>
        {host && <div className="mono truncate text-muted">{host}</div>}
      </div>
      <div className="max-sm:justify-self-end">
        <InstanceStatus instance={instance} />
      </div>
      <div className="text-md text-muted">
        <span className="sr-only">Last Updated: </span>
        <LastUpdated time={instance.flowLastUpdatedAt} />
      </div>
      <div className="justify-self-end">
        <EditorButton instance={instance} visiting={visiting} />
      </div>
    </li>
  )
}
