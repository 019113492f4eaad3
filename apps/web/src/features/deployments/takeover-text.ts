import type { Takeover, TakeoverPlan } from '@app/contract'
import { plural } from '../../lib/plural.ts'

/** Name and meaning of each way of taking over. */
export const takeoverWords: Record<TakeoverPlan['way'], { name: string; means: string }> = {
  beside: { name: 'Side by side', means: 'Both versions run for a moment. No request is lost.' },
  held: {
    name: 'Held',
    means: 'The new version starts with its inputs closed. They open when the old version has stopped.',
  },
  'stop-first': {
    name: 'Stop first',
    means:
      'The old flows stop, and the new ones start with their inputs closed. Serial ports and programs act at once.',
  },
  restart: { name: 'Restart', means: 'Node-RED stops before the new version starts.' },
}

/** How a deployment took over, in a line. */
export function takeoverText({ way, why, gapMs, late = 0, dropped = 0 }: Takeover): string {
  const counts = [
    ...(gapMs === undefined ? [] : [`${gapMs.toLocaleString()} ms without flows`]),
    ...(late === 0 ? [] : [`${plural(late, 'timer')} late`]),
    ...(dropped === 0 ? [] : [`${plural(dropped, 'message')} lost`]),
  ]
  return [takeoverWords[way].name, ...counts, why].join(' · ')
}
