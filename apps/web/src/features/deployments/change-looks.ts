import type { NodeChange } from '@app/contract'
import type { Tone } from '../../ui/Badge.tsx'

type Kind = NodeChange['change']

export const changeTones: Record<Kind, Tone> = { added: 'ok', changed: 'warn', moved: 'busy', removed: 'bad' }
export const changeWords: Record<Kind, string> = {
  added: 'Added',
  changed: 'Changed',
  moved: 'Moved',
  removed: 'Removed',
}
