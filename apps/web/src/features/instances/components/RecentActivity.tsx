import { Card } from '../../../ui/Card.tsx'
import { ButtonLink } from '../../../ui/Button.tsx'
import { EntryList } from '../../../ui/AuditTimeline.tsx'
import { SkeletonRows } from '../../../ui/Skeleton.tsx'
import { Failure } from '../../../lib/api-failure.tsx'
import { toTimeline } from '../../audit/index.ts'
import { useRecentAudit } from '../instances.queries.ts'

/** The four newest entries of the audit log, and the way to the rest. */
export function RecentActivity({ instanceId }: { instanceId: string }) {
  const { data, error, refetch } = useRecentAudit(instanceId)
  return (
    <Card
      title="Recent Activity"
      end={
        <ButtonLink to={`/instance/${instanceId}/audit-log`} variant="ghost" size="sm">
          More...
        </ButtonLink>
      }
    >
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <SkeletonRows rows={4} />}
      {data && data.log.length === 0 && <p className="p-4 text-muted">No Activity Found</p>}
      {data && data.log.length > 0 && <EntryList entries={data.log.map(toTimeline)} />}
    </Card>
  )
}
