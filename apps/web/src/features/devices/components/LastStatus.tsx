import type { Device } from '@app/contract'
import { StatusBadge } from '../../../ui/StatusBadge.tsx'

/** How a device does, as its agent says; offline once it is silent, with what it said last in a tooltip; never before it called. */
export function LastStatus({ device: { status, lastStatus, lastSeenSince } }: { device: Device }) {
  const before =
    status === 'offline' && lastStatus !== null ? `Last status: ${lastStatus}, ${lastSeenSince} ago.` : undefined
  return (
    <span title={before} className="inline-flex">
      <StatusBadge state={lastStatus === null ? 'never' : status} />
    </span>
  )
}
