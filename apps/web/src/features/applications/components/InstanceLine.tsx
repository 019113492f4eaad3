import { cn } from '../../../lib/cn.ts'
import { RouterLink } from '../../../ui/RouterLink.tsx'
import { InstanceSparkline } from '../../metrics/index.ts'
import { instancePath, InstanceStatus, LastUpdated } from '../../instances/index.ts'
import { useTeam } from '../../teams/index.ts'
import type { ListedInstance } from '../applications.queries.ts'
import { InstanceTools } from './InstanceTools.tsx'

/** An instance in its application's list: name and address, state, when flows were deployed, how busy it is, the editor. */
export function InstanceLine({ instance, charts }: { instance: ListedInstance; charts: boolean }) {
  const team = useTeam()
  const host = instance.url?.replace(/^https?:\/\//, '')
  return (
    <li
      className={cn(
        'grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-2 px-4 py-2',
        charts
          ? 'sm:grid-cols-[minmax(0,1fr)_140px_minmax(0,160px)_auto] xl:grid-cols-[minmax(0,1fr)_140px_160px_250px_auto]'
          : 'sm:grid-cols-[minmax(0,1fr)_140px_minmax(0,250px)_auto]',
      )}
    >
      <div className="min-w-0">
        <RouterLink
          to={instancePath(instance)}
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
      {charts && (
        <div className="max-xl:hidden">
          {instance.meta?.state === 'running' && <InstanceSparkline teamId={team.id} instanceId={instance.id} />}
        </div>
      )}
      <div className="justify-self-end">
        <InstanceTools instance={instance} />
      </div>
    </li>
  )
}
