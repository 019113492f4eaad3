import { formatExact, formatRelative, type Time } from '../lib/dates.ts'
import { useNow } from '../lib/use-now.ts'

/** Something that is newer than the last look at the clock is of now, and not to come. */
const tick = 15_000

/** Time since then, kept up to date; the exact time on hover. */
export function RelativeTime({ time, className }: { time: Time; className?: string }) {
  const now = useNow(tick)
  const at = new Date(time).getTime()
  return (
    <time dateTime={new Date(time).toISOString()} title={formatExact(time)} className={className}>
      {formatRelative(time, at > now && at < now + tick ? at : now)}
    </time>
  )
}
