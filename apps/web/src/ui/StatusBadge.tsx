import { Badge, type Tone } from './Badge.tsx'
import { Spinner } from './Spinner.tsx'

const tones: Record<string, Tone> = {
  running: 'ok',
  safe: 'warn',
  error: 'bad',
  crashed: 'bad',
  suspended: 'idle',
  sleeping: 'idle',
  stopped: 'idle',
  offline: 'idle',
  never: 'idle',
}
const turning = ['starting', 'stopping', 'suspending', 'restarting', 'importing', 'loading', 'installing', 'deploying']

/**
 * The state of something that runs. No state yet: a spinner. `pending`: the change is asked for but not confirmed, so
 * the badge is faint. `stopped` has a stop sign; a state it does not know is shown as it is, in grey and without a
 * mark [INST-27].
 */
export function StatusBadge({ state, pending }: { state: string | undefined; pending?: boolean }) {
  if (!state) return <Spinner size={14} label="Loading status" className="text-muted" />
  const moves = turning.includes(state)
  const tone = tones[state]
  return (
    <Badge
      tone={moves ? 'busy' : (tone ?? 'idle')}
      mark={state === 'stopped' ? 'stop' : tone ? 'dot' : 'none'}
      turning={moves || pending === true}
      faint={pending === true}
    >
      {state}
    </Badge>
  )
}
