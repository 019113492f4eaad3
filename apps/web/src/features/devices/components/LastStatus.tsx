import type { Device } from '@app/contract'
import { Badge } from '../../../ui/Badge.tsx'
import { StatusBadge } from '../../../ui/StatusBadge.tsx'
import { isOutdated } from '../last-seen.ts'

/** The status that the agent of a device last reported: grey, and in the past tense, once it is too old to rely on. */
export function LastStatus({ device: { status, lastSeenMs } }: { device: Device }) {
  return isOutdated(status, lastSeenMs) ? <Badge>was {status}</Badge> : <StatusBadge state={status} />
}
