import { formatExact } from '../../../lib/dates.ts'
import { Failure } from '../../../lib/api-failure.tsx'
import { Direction } from '../../../ui/Direction.tsx'
import { SkeletonText } from '../../../ui/Skeleton.tsx'
import { ForeseenList } from '../../deployments/index.ts'
import type { useTargetPreview } from '../devices.queries.ts'

const devicesIn = (count: number) => (count === 1 ? '1 device' : `${count} devices`)

/** The snapshot and the devices whose flows it replaces, with what can be known before. */
export function TargetForesight({
  snapshot,
  preview: { data, error, refetch },
  instance,
}: {
  snapshot: { name: string; createdAt: string }
  preview: ReturnType<typeof useTargetPreview>
  instance: string
}) {
  if (error) return <Failure error={error} onRetry={() => void refetch()} />
  if (!data) return <SkeletonText />
  const note = `Assigned to ${instance}${data.running > 0 ? `; ${data.running} already run it` : ''}`
  return (
    <>
      <Direction
        from={{ name: snapshot.name, note: `Snapshot of ${formatExact(snapshot.createdAt)}` }}
        to={{ name: devicesIn(data.devices), note }}
      />
      <ForeseenList foreseen={data.foreseen} />
    </>
  )
}
