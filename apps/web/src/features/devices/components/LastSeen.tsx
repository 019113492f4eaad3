import type { Device } from '@app/contract'
import { Badge, type Tone } from '../../../ui/Badge.tsx'
import { seenState } from '../last-seen.ts'

const tones = { running: 'ok', safe: 'warn', error: 'bad', never: 'idle' } satisfies Record<string, Tone>

/** When the agent of a device called last, as the platform counts it: its clock and ours may differ. */
export function LastSeen({ device: { lastSeenMs, lastSeenSince } }: { device: Device }) {
  const since = lastSeenMs !== null && lastSeenMs < 1_000 ? 'just now' : `${lastSeenSince} ago`
  return <Badge tone={tones[seenState(lastSeenMs)]}>{lastSeenMs === null ? 'never' : since}</Badge>
}
