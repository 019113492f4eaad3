import type { LicenceSummary, StoredSettings } from '@app/contract'
import { iso } from '../../platform/clock.ts'

const day = 24 * 3_600_000
const warningDays = 30

/** The public facts about the licence at this time; without one nothing ever expires (LICB-07). */
export function licenceSummary(licence: StoredSettings['license'], now: number): LicenceSummary {
  const expiresAt = licence?.expiresAt ?? now + 365 * day
  const expired = licence !== null && expiresAt <= now
  const daysRemaining = expired ? 0 : Math.floor((expiresAt - now) / day)
  return {
    type: licence?.type ?? 'CE',
    expiresAt: iso(expiresAt),
    expiring: licence !== null && !expired && daysRemaining <= warningDays,
    expired,
    daysRemaining,
    PRE_EXPIRE_WARNING_DAYS: warningDays,
  }
}
