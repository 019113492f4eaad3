/** How long ago the agent of a device called, in the words of its badge [DEV-42]. `ms`: null when it never did. */
export function seenState(ms: number | null): 'running' | 'safe' | 'error' | 'never' {
  if (ms === null) return 'never'
  if (ms < 90_000) return 'running'
  return ms <= 180_000 ? 'safe' : 'error'
}

const atRest = ['stopped', 'offline', 'suspended', 'unknown']

/** Whether a reported status says that flows run, and the agent has been silent too long for that to be known. */
export const isOutdated = (status: string, lastSeenMs: number | null): boolean =>
  seenState(lastSeenMs) === 'error' && !atRest.includes(status)
