import type { LicenceSummary } from '@app/contract'
import { plural } from '../../lib/plural.ts'

/** Returns the banner of the licence for this person, if any [LICB-01, LICB-02]. */
export function licenceNotice(
  { expired, expiring, daysRemaining }: Pick<LicenceSummary, 'expired' | 'expiring' | 'daysRemaining'>,
  isAdmin: boolean,
): string | undefined {
  if (expired) return 'Your license has expired.'
  if (expiring && isAdmin) return `Your license will expire in ${plural(daysRemaining, 'day')}.`
  return undefined
}
