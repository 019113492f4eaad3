import { RelativeTime } from '../../../ui/RelativeTime.tsx'

/** When flows were last deployed. */
export function LastUpdated({ time }: { time: string | undefined }) {
  return time ? <RelativeTime time={time} /> : <span className="text-muted">flows never deployed</span>
}
