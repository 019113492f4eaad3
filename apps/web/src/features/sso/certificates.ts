import type { SsoProvider } from '@app/contract'
import { intervals } from '@app/contract/constants'
import { formatDate } from '../../lib/dates.ts'

type Certificates = SsoProvider['certificates']

/** When a certificate of a SAML provider expires, as a sentence; undefined when there is none in this option. */
export function expiryOf(certificates: Certificates, option: string, now = Date.now()): string | undefined {
  const expiresAt = certificates?.find((one) => one.option === option)?.expiresAt
  return expiresAt === undefined ? undefined : `${verb(expiresAt, now)} on ${formatDate(expiresAt)}.`
}

/**
 * The warning that the signing certificate has to be replaced; undefined while one is there that is valid for longer
 * than the time of the warning.
 */
export function warningOf(certificates: Certificates, now = Date.now()): string | undefined {
  const last = certificates?.toSorted((one, other) => Date.parse(other.expiresAt) - Date.parse(one.expiresAt))[0]
  if (!last || Date.parse(last.expiresAt) - now > intervals.certificateWarning) return undefined
  return `Certificate ${verb(last.expiresAt, now).toLowerCase()} on ${formatDate(last.expiresAt)}`
}

const verb = (expiresAt: string, now: number) => (Date.parse(expiresAt) <= now ? 'Expired' : 'Expires')
