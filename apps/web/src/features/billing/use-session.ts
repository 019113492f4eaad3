import { useQueryText } from '../../lib/use-query-state.ts'

/** The checkout that the payment provider leads back from, as the address names it; '' at all other times. */
export function useSession(): { session: string; forget: () => void } {
  const [session, setSession] = useQueryText('billing_session')
  return { session, forget: () => setSession('') }
}
