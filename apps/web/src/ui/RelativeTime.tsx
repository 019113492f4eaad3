import { formatExact, formatRelative, type Time } from '../lib/dates.ts'
import { useNow } from '../lib/use-now.ts'

/** How long ago, kept up to date; the exact time on hover. */
export function RelativeTime({ time, className }: { time: Time; className?: string }) {
  const now = useNow(15_000)
  return (
    <time dateTime={new Date(time).toISOString()} title={formatExact(time)} className={className}>
      {formatRelative(time, now)}
    </time>
  )
}
