import { formatExact } from '../../../lib/dates.ts'
import { Failure } from '../../../lib/api-failure.tsx'
import { Direction } from '../../../ui/Direction.tsx'
import { SkeletonText } from '../../../ui/Skeleton.tsx'
import { Changes, ForeseenList, TakeoverNote } from '../../deployments/index.ts'
import { useSnapshotChanges } from '../../snapshots/index.ts'
import type { useTargetPreview } from '../devices.queries.ts'

const devicesIn = (count: number) => (count === 1 ? '1 device' : `${count} devices`)

function namesOf(names: readonly string[], count: number): string {
  const rest = count - names.length
  return [...names, ...(rest > 0 ? [`${rest} more`] : [])].join(', ')
}

/** The snapshot and the devices whose flows it replaces, with what can be known before and what changes. */
export function TargetForesight({
  snapshot,
  target,
  preview: { data, error, refetch },
  instance,
}: {
  snapshot: { id: string; name: string; createdAt: string }
  /** The target until now. */
  target: string | null
  preview: ReturnType<typeof useTargetPreview>
  instance: { id: string; name: string }
}) {
  if (error) return <Failure error={error} onRetry={() => void refetch()} />
  if (!data) return <SkeletonText />
  const note = `Assigned to ${instance.name}${data.running > 0 ? `; ${data.running} already run it` : ''}`
  return (
    <>
      <Direction
        from={{ name: snapshot.name, note: `Snapshot of ${formatExact(snapshot.createdAt)}` }}
        to={{ name: devicesIn(data.devices), note }}
      />
      {data.takeovers.map(({ way, why, devices, names }) => (
        <TakeoverNote
          key={`${way} ${why}`}
          plan={{ way, why }}
          // The way of all of them needs no names.
          on={data.takeovers.length === 1 && devices === data.devices ? undefined : namesOf(names, devices)}
        />
      ))}
      <ForeseenList foreseen={data.foreseen} />
      {target !== null && <TargetChanges instanceId={instance.id} snapshotId={snapshot.id} from={target} />}
    </>
  )
}

/** The differences from the target until now, modules and their versions among them. */
function TargetChanges({ instanceId, snapshotId, from }: { instanceId: string; snapshotId: string; from: string }) {
  const { data, error, refetch } = useSnapshotChanges(instanceId, snapshotId, from)
  return <Changes changes={data} drawing={undefined} was={undefined} error={error} onRetry={() => void refetch()} />
}
