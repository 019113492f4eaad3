/** All times here are milliseconds since 1970, a Date, or a text that Date understands. */
export type Time = number | string | Date

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_557_600_000],
  ['month', 2_629_800_000],
  ['week', 604_800_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
]

const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
const date = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })
const day = new Intl.DateTimeFormat(undefined, { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' })

const toDate = (time: Time) => (time instanceof Date ? time : new Date(time))

/** '2 minutes ago', 'yesterday', 'in 3 days'; below a minute seconds are noise, so 'just now'. */
export function formatRelative(time: Time, now = Date.now()): string {
  const delta = toDate(time).getTime() - now
  for (const [unit, size] of units) {
    if (Math.abs(delta) >= size) return relative.format(Math.trunc(delta / size), unit)
  }
  return delta > 1000 ? 'in a moment' : 'just now'
}

/** The full date and time in the reader's locale and zone. */
export const formatExact = (time: Time): string => exact.format(toDate(time))
/** The date alone, short: '21 Nov 2026'. */
export const formatDate = (time: Time): string => date.format(toDate(time))
/** A heading for a day: 'Saturday, 21 November 2026'. */
export const formatDay = (time: Time): string => day.format(toDate(time))

/** The reader's own calendar day as 'yyyy-mm-dd', to group by. */
export function dayKey(time: Time): string {
  const at = toDate(time)
  const two = (part: number) => String(part).padStart(2, '0')
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
}

/** Text of a duration: '12 ms', '4.2 s', '1 min 05 s'. */
export function formatDuration(ms: number): string {
  if (ms < 100) return `${Math.round(ms)} ms`
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`
}
