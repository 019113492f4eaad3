import type { Instance } from '@app/contract'
import { ordinal } from '../../lib/plural.ts'

type Restart = NonNullable<Instance['meta']['restart']>

/** Describes the restart after a crash: 'It starts again in 40 s, after the 3rd crash in a row.' `now` in ms. */
export function restartText({ at, crashes, safe }: Restart, now: number): string {
  const seconds = Math.ceil((Date.parse(at) - now) / 1000)
  const when = seconds <= 0 ? 'now' : `in ${duration(seconds)}`
  const how = safe ? ', without its flows' : ''
  return `It starts again ${when}${how}${crashes > 1 ? `, after the ${ordinal(crashes)} crash in a row` : ''}.`
}

function duration(seconds: number): string {
  if (seconds < 60) return `${seconds} s`
  const rest = seconds % 60
  return rest === 0 ? `${seconds / 60} min` : `${Math.floor(seconds / 60)} min ${String(rest).padStart(2, '0')} s`
}
