import { intervals } from '@app/contract/constants'

/** Time since the agent of a device called, in the words of its badge [DEV-42]. `ms`: null when it never did. */
export function seenState(ms: number | null): 'running' | 'safe' | 'error' | 'never' {
  if (ms === null) return 'never'
  if (ms < intervals.deviceSilence) return 'running'
  return ms <= intervals.deviceFault ? 'safe' : 'error'
}
