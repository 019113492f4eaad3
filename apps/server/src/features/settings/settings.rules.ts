import type { SettingsPatch, StoredSettings } from '@app/contract'
import { iso } from '../../platform/clock.ts'
import { fail } from '../../platform/http/failure.ts'

const needMail = ['user:signup', 'user:reset-password', 'team:user:invite:external'] as const

/**
 * The values to store when administrators ask for these changes (docs/specification/platform-settings.md). @throws
 * Failure invalid_request, with the setting as its field: a setting that needs mail is switched on without mail, or
 * terms are required that do not exist.
 */
export function judgeChange(
  patch: SettingsPatch,
  stored: StoredSettings,
  { mail, now }: { mail: boolean; now: number },
): Partial<StoredSettings> {
  const { 'user:tcs-updated': renewed, ...change } = patch
  for (const key of needMail) {
    if (change[key] && !mail)
      throw fail('invalid_request', 'This option requires email to be configured', { field: key })
  }
  const url = change['user:tcs-url'] ?? stored['user:tcs-url']
  if ((change['user:tcs-required'] ?? stored['user:tcs-required']) && url === '')
    throw fail('invalid_request', 'A URL for the Terms & Conditions must be set.', { field: 'user:tcs-url' })
  const present = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
  if (stored.license !== null) delete present['telemetry:enabled']
  const dated = renewed === true || (url !== '' && url !== stored['user:tcs-url'])
  return { ...present, ...(dated ? { 'user:tcs-date': iso(now) } : {}) }
}

/** Whether anonymous counts may be sent: always with a licence, otherwise as administrators say (ASET-10). */
export const mayReport = (stored: StoredSettings): boolean => stored.license !== null || stored['telemetry:enabled']
