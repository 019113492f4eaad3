import type { LicenceSummary } from '@app/contract'
import { plural } from '../../lib/plural.ts'

/** What the banner of the licence says to this person; undefined when there is nothing to say [LICB-01, LICB-02]. */
export function licenceNotice(
  { expired, expiring, daysRemaining }: Pick<LicenceSummary, 'expired' | 'expiring' | 'daysRemaining'>,
  isAdmin: boolean,
): string | undefined {
  if (expired) return 'Your license has expired.'
  if (expiring && isAdmin) return `Your license will expire in ${plural(daysRemaining, 'day')}.`
  return undefined
}
