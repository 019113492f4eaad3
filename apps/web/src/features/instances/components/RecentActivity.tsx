import type { Instance } from '@app/contract'
import { Card } from '../../../ui/Card.tsx'
import { ButtonLink } from '../../../ui/Button.tsx'
import { EntryList } from '../../../ui/AuditTimeline.tsx'
import { SkeletonRows } from '../../../ui/Skeleton.tsx'
import { Failure } from '../../../lib/api-failure.tsx'
import { toTimeline } from '../../audit/index.ts'
import { useRecentAudit } from '../instances.queries.ts'

/** The four newest entries of the audit log, and the way to the rest. */
export function RecentActivity({ instance: { id, name } }: { instance: Pick<Instance, 'id' | 'name'> }) {
  const { data, error, refetch } = useRecentAudit(id)
  // On the page of the instance its name would say nothing, four times.
  const entries = data?.log.map(toTimeline).map(({ info, ...entry }) => (info === name ? entry : { ...entry, info }))
  return (
    <Card
      title="Recent Activity"
      end={
        <ButtonLink to={`/instance/${id}/audit-log`} variant="ghost" size="sm">
          More...
        </ButtonLink>
      }
    >
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <SkeletonRows rows={4} />}
      {entries?.length === 0 && <p className="p-4 text-muted">No Activity Found</p>}
      {entries && entries.length > 0 && <EntryList entries={entries} />}
    </Card>
  )
}
