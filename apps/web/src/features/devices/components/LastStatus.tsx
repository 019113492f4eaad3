import type { Device } from '@app/contract'
import { StatusBadge } from '../../../ui/StatusBadge.tsx'

/** Status of a device; offline once its agent is silent, with its last status in a tooltip; never before it called. */
export function LastStatus({ device: { status, lastStatus, lastSeenSince } }: { device: Device }) {
  const before =
    status === 'offline' && lastStatus !== null ? `Last status: ${lastStatus}, ${lastSeenSince} ago.` : undefined
  return (
    <span title={before} className="inline-flex">
      <StatusBadge state={lastStatus === null ? 'never' : status} />
    </span>
  )
}
