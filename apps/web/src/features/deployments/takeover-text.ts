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
      'The old flows stop, and the new ones start with their inputs closed. Serial ports and programs are active at once.',
  },
  restart: { name: 'Restart', means: 'Node-RED stops before the new version starts.' },
}

/** Takeover of a deployment, item by item, with what it cost. */
export function takeoverItems({ way, why, gapMs, late, dropped }: Takeover): { label: string; value: string }[] {
  const gap = gapMs === undefined ? undefined : `${gapMs.toLocaleString()} ms`
  return [
    { label: 'Takeover', value: `${takeoverWords[way].name}. ${why}` },
    ...(gap === undefined ? [] : [{ label: 'Interruption', value: `No flows ran for ${gap}.` }]),
    ...(late === undefined || dropped === undefined
      ? []
      : [{ label: 'Messages', value: messagesText(late, dropped, gap) }]),
  ]
}

/** Only messages that nodes send by themselves are counted: nobody knows of those that never came in. */
function messagesText(late: number, dropped: number, gap: string | undefined): string {
  const parts = [
    ...(late === 0 ? [] : [`${plural(late, 'timed message')} late${gap === undefined ? '' : ` by up to ${gap}`}.`]),
    ...(dropped === 0 ? [] : [`${plural(dropped, 'message')} of nodes lost.`]),
  ]
  return parts.length === 0 ? 'No messages were delayed or lost.' : parts.join(' ')
}
