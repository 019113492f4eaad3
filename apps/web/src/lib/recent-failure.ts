import { useNow } from './use-now.ts'

/** Time for which a failure is of interest, in ms; it stays on record. */
const lingers = 24 * 3_600_000

interface Ended {
  state: string
  createdAt: string
  endedAt?: string | undefined
  warning?: string | undefined
  faults?: readonly unknown[] | undefined
}

/** This deployment, if not long ago it failed or left errors. */
export function useRecentFailure<T extends Ended>(deployment: T | null | undefined): T | undefined {
  const now = useNow(60_000)
  if (!deployment || !(deployment.state === 'failed' || deployment.warning || deployment.faults)) return undefined
  return Date.parse(deployment.endedAt ?? deployment.createdAt) + lingers < now ? undefined : deployment
}
