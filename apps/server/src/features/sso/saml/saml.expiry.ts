import { X509Certificate } from 'node:crypto'
import { intervals, type SsoOptions } from '@app/contract'
import { pemOf } from './saml.certificates.ts'

/** A certificate with which a provider signs, and the last moment at which it is valid, in milliseconds. */
export interface SigningCertificate {
  option: 'cert' | 'nextCert'
  fingerprint: string
  expiresAt: number
}

/** The certificates of a SAML provider that are entered. */
export function certificatesOf(options: Pick<SsoOptions, 'cert' | 'nextCert'>): SigningCertificate[] {
  return (['cert', 'nextCert'] as const).flatMap((option) => {
    const pem = pemOf(options[option] ?? '')
    if (pem === undefined) return []
    const { fingerprint256: fingerprint, validTo } = new X509Certificate(pem)
    return [{ option, fingerprint, expiresAt: Date.parse(validTo) }]
  })
}

/**
 * The certificate that has to be replaced soon, or should have been. While another one is there that is valid for
 * longer, the exchange is already prepared and nothing is to be done: so the one that expires last counts.
 */
export function expiringOf(
  options: Pick<SsoOptions, 'cert' | 'nextCert'>,
  now: number,
): SigningCertificate | undefined {
  const last = certificatesOf(options).toSorted((one, other) => other.expiresAt - one.expiresAt)[0]
  return last && last.expiresAt - now <= intervals.certificateWarning ? last : undefined
}
